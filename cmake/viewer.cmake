# The program of the viewer's page, made from viewer/ and the packages of its lock file, as bytes in a C file:
# sets viewer_bundle. Without node or the packages (scripts/install-deps) the command is built without it.
find_program(TRM_NODE node)
set(viewer_bundle ${PROJECT_BINARY_DIR}/viewer_bundle.c)
# a glob, because the next build notices when the packages were installed meanwhile
file(GLOB viewer_packages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/viewer/node_modules/esbuild/package.json)
if(TRM_NODE AND viewer_packages)
    file(GLOB_RECURSE viewer_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/viewer/src/*)
    add_custom_command(OUTPUT ${viewer_bundle}
                       COMMAND ${TRM_NODE} ${PROJECT_SOURCE_DIR}/viewer/build.mjs ${viewer_bundle}
                       DEPENDS ${viewer_sources} ${PROJECT_SOURCE_DIR}/viewer/build.mjs
                               ${PROJECT_SOURCE_DIR}/viewer/package-lock.json
                       COMMENT "Bundling the viewer")
else()
    message(STATUS "viewer: left out, node or its packages are missing (scripts/install-deps)")
    set(viewer_bundle ${PROJECT_BINARY_DIR}/viewer_bundle_none.c)
    file(CONFIGURE OUTPUT ${viewer_bundle} CONTENT [[
#include <stddef.h>
extern const unsigned char trmi_viewer_bundle[];
extern const size_t trmi_viewer_bundle_size;
const unsigned char trmi_viewer_bundle[] = {0};
const size_t trmi_viewer_bundle_size = 0;
]] @ONLY)
endif()
