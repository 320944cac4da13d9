# Manual pages and completion scripts, written by the command itself from its tables.
if(NOT CMAKE_CROSSCOMPILING)
    set(shell_dir ${PROJECT_BINARY_DIR}/shell)
    add_custom_command(
        OUTPUT ${shell_dir}/man/trammel.1
        COMMAND ${CMAKE_COMMAND} -E make_directory ${shell_dir}/man
        COMMAND trammel_tool help --man ${shell_dir}/man
        COMMAND trammel_tool completion bash > ${shell_dir}/trammel
        COMMAND trammel_tool completion zsh > ${shell_dir}/_trammel
        COMMAND trammel_tool completion fish > ${shell_dir}/trammel.fish
        DEPENDS trammel_tool
        COMMENT "Writing manual pages and completions"
        VERBATIM)
    add_custom_target(shell_files ALL DEPENDS ${shell_dir}/man/trammel.1)
    add_dependencies(package_contents shell_files)
    install(DIRECTORY ${shell_dir}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${shell_dir}/trammel
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${shell_dir}/_trammel DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${shell_dir}/trammel.fish
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
