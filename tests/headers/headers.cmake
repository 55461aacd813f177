# SPDX-License-Identifier: MIT
# Every public header compiles alone, in C17 and C++17, without a warning: part of the build, no test to run.
file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src/include
    ${PROJECT_SOURCE_DIR}/src/include/talus/*.h)
set(languages c)
if(CMAKE_CXX_COMPILER)
    list(APPEND languages cc)
endif()
foreach(language ${languages})
    set(sources "")
    foreach(header ${headers})
        string(REPLACE "/" "_" name ${header})
        set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.${language})
        # twice: the header guards itself
        file(CONFIGURE OUTPUT ${source} CONTENT "#include <${header}>\n#include <${header}>\n" @ONLY)
        list(APPEND sources ${source})
    endforeach()
    add_library(test_headers_${language} OBJECT ${sources})
    target_include_directories(test_headers_${language} PRIVATE ${PROJECT_SOURCE_DIR}/src/include)
    target_compile_options(test_headers_${language} PRIVATE -Wall -Wextra -Wpedantic -Werror)
endforeach()
if(TARGET test_headers_cc)
    set_target_properties(test_headers_cc PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
endif()
