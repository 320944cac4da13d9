# KLU of SuiteSparse with what it needs: defines KLU_FOUND and the target KLU::KLU.
# Sources include it as <suitesparse/klu.h>.
include(FindPackageHandleStandardArgs)

find_path(KLU_INCLUDE_DIR suitesparse/klu.h)
set(klu_variables KLU_INCLUDE_DIR)
foreach(name klu btf amd colamd suitesparseconfig)
    string(TOUPPER ${name}_LIBRARY variable)
    find_library(${variable} ${name})
    list(APPEND klu_variables ${variable})
endforeach()

find_package_handle_standard_args(
    KLU REQUIRED_VARS ${klu_variables}
    REASON_FAILURE_MESSAGE "SuiteSparse is missing (Debian package libsuitesparse-dev)")
mark_as_advanced(${klu_variables})

if(KLU_FOUND AND NOT TARGET KLU::KLU)
    add_library(KLU::KLU UNKNOWN IMPORTED)
    set_target_properties(
        KLU::KLU PROPERTIES IMPORTED_LOCATION "${KLU_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${KLU_INCLUDE_DIR};${KLU_INCLUDE_DIR}/suitesparse"
        INTERFACE_LINK_LIBRARIES
        "${BTF_LIBRARY};${AMD_LIBRARY};${COLAMD_LIBRARY};${SUITESPARSECONFIG_LIBRARY}")
endif()
