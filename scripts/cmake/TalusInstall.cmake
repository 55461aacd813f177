# SPDX-License-Identifier: MIT
# cmake --install: headers, libtalus, libtalus_solver, the talus command, a CMake package with the components
# `solver` and `talus`, and talus.pc, talus-solver.pc.
#
# A shared library carries its dependencies, so its users need none. A static one passes them on, and both ways of
# finding it get them from one list: pkg-config modules by name (TALUS_*_PC), other libraries as -lNAME with -L only
# where the linker would not look anyway (TALUS_*_LINK). Nothing of the build tree is written, so a prefix can move.

# files and names of libraries -> -L and -l
function(talus_link_flags out)
    set(flags "")
    foreach(lib ${ARGN})
        if(IS_ABSOLUTE "${lib}")
            get_filename_component(dir "${lib}" DIRECTORY)
            get_filename_component(name "${lib}" NAME)
            if(NOT dir IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
                list(APPEND flags -L${dir})
            endif()
            string(REGEX REPLACE "^lib(.*)\\.(so[.0-9]*|a)$" "-l\\1" name "${name}")
            list(APPEND flags ${name})
        else()
            list(APPEND flags -l${lib})
        endif()
    endforeach()
    list(REMOVE_DUPLICATES flags)
    set(${out} "${flags}" PARENT_SCOPE)
endfunction()

function(talus_pkgconfig name description library modules flags)
    set(PC_NAME ${name})
    set(PC_DESCRIPTION "${description}")
    set(PC_LIBRARY ${library})
    set(PC_REQUIRES "")
    set(PC_LIBS "")
    # public, not *.private: whoever links the static library needs them, and `pkg-config --static` would also ask for
    # what the dependencies themselves are made of (hwloc: -ludev), which shared dependencies bring along
    if(NOT BUILD_SHARED_LIBS)
        list(JOIN modules " " PC_REQUIRES)
        list(JOIN flags " " PC_LIBS)
    endif()
    # relative to the file itself
    file(RELATIVE_PATH PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
    string(REGEX REPLACE "/$" "" PC_TO_PREFIX ${PC_TO_PREFIX})
    configure_file(${PROJECT_SOURCE_DIR}/scripts/cmake/talus.pc.in ${PROJECT_BINARY_DIR}/package/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/package/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

function(talus_component target component modules flags)
    if(NOT BUILD_SHARED_LIBS)
        if(modules)
            # made by the package file from the modules
            target_link_libraries(${target} INTERFACE
                $<INSTALL_INTERFACE:$<LINK_ONLY:PkgConfig::talus_${component}_modules>>)
        endif()
        foreach(flag ${flags})
            target_link_libraries(${target} INTERFACE $<INSTALL_INTERFACE:${flag}>)
        endforeach()
    endif()
    install(TARGETS ${target} EXPORT talus-${component}-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(EXPORT talus-${component}-targets NAMESPACE talus:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/talus)
endfunction()

function(talus_install)
    include(CMakePackageConfigHelpers)
    set(solver_modules ${TALUS_SOLVER_PC})
    set(talus_modules ${TALUS_SOLVER_PC} ${TALUS_ALL_PC})
    talus_link_flags(solver_flags ${TALUS_SOLVER_LINK})
    talus_link_flags(talus_flags ${TALUS_ALL_LINK} ${TALUS_SOLVER_LINK})
    list(APPEND solver_flags -pthread -lm)
    list(APPEND talus_flags -pthread -lm)

    talus_component(talus_solver solver "${solver_modules}" "${solver_flags}")
    talus_pkgconfig(talus-solver "Frictional contact solver: arrays in, a velocity out" talus_solver
        "${solver_modules}" "${solver_flags}")
    if(TARGET talus)
        talus_component(talus talus "${talus_modules}" "${talus_flags}")
        talus_pkgconfig(talus "Rigid bodies and robots in frictional contact" talus "${talus_modules}"
            "${talus_flags}")
    endif()

    set(TALUS_PACKAGE_SHARED ${BUILD_SHARED_LIBS})
    configure_package_config_file(${PROJECT_SOURCE_DIR}/scripts/cmake/talus-config.cmake.in
        ${PROJECT_BINARY_DIR}/package/talus-config.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/talus
        NO_SET_AND_CHECK_MACRO)
    write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/talus-config-version.cmake
        COMPATIBILITY SameMinorVersion)
    install(FILES ${PROJECT_BINARY_DIR}/package/talus-config.cmake
        ${PROJECT_BINARY_DIR}/package/talus-config-version.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/talus)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/include/talus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
    if(TARGET talus_cli)
        # the command has our code inside: it runs from any prefix without a search path
        install(TARGETS talus_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    endif()
endfunction()
