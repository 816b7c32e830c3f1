# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# cpack makes Debian packages of what is installed. All of it lies in a folder of its own, as that of each LLVM does, so
# that it goes beside every one of them; omptarget-default makes it the library of every program of the machine.
set(OMPTARGET_MAINTAINER "omptarget maintainers <maintainers@omptarget.example.org>" CACHE STRING
    "who makes the packages, as Debian wants it: name <address>")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME omptarget)
set(CPACK_PACKAGE_VENDOR omptarget)
set(CPACK_PACKAGE_CONTACT ${OMPTARGET_MAINTAINER})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr/lib/omptarget)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # or else it would be the synopsis of every package
set(CPACK_STRIP_FILES OFF) # debian_files.cmake does it, and keeps the symbols
set(CPACK_OMPTARGET_TRIPLET "${CMAKE_LIBRARY_ARCHITECTURE}")
set(CPACK_OMPTARGET_OBJCOPY "${CMAKE_OBJCOPY}")
set(CPACK_OMPTARGET_READELF "${CMAKE_READELF}")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL library plugins tools dev device default dbgsym)
if(OMPTARGET_EMULATOR OR OMPTARGET_TESTS)
  list(APPEND CPACK_COMPONENTS_ALL emulator)
endif()
if(TARGET omptarget_gomp)
  list(APPEND CPACK_COMPONENTS_ALL gomp)
endif()
if(TARGET omptarget-jit)
  list(APPEND CPACK_COMPONENTS_ALL jit)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_SYSTEM_PROCESSOR STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  # dpkg-shlibdeps knows this machine's libraries only. Everything but the C library is linked in, which the archive's
  # check sees to.
  set(debian_names_x86_64 amd64)
  set(debian_names_aarch64 arm64)
  set(debian_names_powerpc64le ppc64el)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${debian_names_${CMAKE_SYSTEM_PROCESSOR}})
  set(c_library "libc6 (>= 2.36)")
else()
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(c_library)
endif()
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian_files.cmake)

# omptarget_package(<component> <package> <section> <summary> <description>)
macro(omptarget_package component package section summary description)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${description}")
endmacro()
set(same "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
omptarget_package(library omptarget libs "OpenMP offloading runtime for programs of clang and flang"
  "A drop-in replacement for LLVM's libomptarget: one library for the programs\n\
of all generations of clang, which run on it unchanged. It lies beside LLVM's\n\
and is used by programs that ask for it.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "omptarget-plugins ${same}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "libomp5, omptarget-default, omptarget-tools, omptarget-jit")
omptarget_package(plugins omptarget-plugins libs "plugins of omptarget for CPU, NVIDIA and AMD devices"
  "The plugins of omptarget, for the CPU of this machine and for GPUs of NVIDIA\n\
and AMD. Those for GPUs need the vendor's driver, which they find by\n\
themselves.")
omptarget_package(tools omptarget-tools utils "tools that explain what a program offloads and to where"
  "omptarget-info lists the devices of the machine, what a program has for them,\n\
and which libomptarget the dynamic loader gives it, and why.\n\
omptarget-profile merges the profiles of several processes. omptarget-replay\n\
runs a recorded kernel again.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "omptarget ${same}")
omptarget_package(dev omptarget-dev libdevel "headers, guides and conformance kit of omptarget"
  "For authors of plugins: the headers, a CMake package, a plugin to start from,\n\
and omptarget-plugin-check, which tries a plugin. Documentation for all.")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "omptarget ${same}")
omptarget_package(device omptarget-device libdevel "device code and compiler plugin of omptarget"
  "What clang links into device code that calls functions by pointers of the\n\
host, and the plugin that makes it do so.")
set(CPACK_DEBIAN_DEVICE_PACKAGE_RECOMMENDS "omptarget-dev ${same}")
omptarget_package(emulator omptarget-emulator devel "runs OpenMP programs for GPUs on a machine without one"
  "omptarget-run runs a program's code for NVIDIA and AMD GPUs, PTX and machine\n\
code, on the CPU, and names what it does wrong with its source line. Neither\n\
CUDA nor ROCm is needed to compile for it.")
set(CPACK_DEBIAN_EMULATOR_PACKAGE_DEPENDS
  "omptarget ${same}, omptarget-tools ${same}, omptarget-device ${same}, python3")
omptarget_package(jit omptarget-jit libs "compiles OpenMP device code of LLVM bitcode"
  "omptarget-jit compiles device images that clang's -fopenmp-target-jit makes,\n\
when a program first uses them. It uses LLVM's library.")
set(CPACK_DEBIAN_JIT_PACKAGE_DEPENDS "omptarget ${same}")
set(CPACK_DEBIAN_JIT_PACKAGE_RECOMMENDS "lld-${OMPTARGET_JIT_LLVM_MAJOR} | lld")
omptarget_package(gomp omptarget-gomp libs "runs target regions of programs of GCC on omptarget's device for the CPU"
  "A libgomp.so.1 in a folder of its own, for programs of gcc and gfortran that\n\
are started with this folder in their library path. The system's libgomp does\n\
the rest.")
set(CPACK_DEBIAN_GOMP_PACKAGE_SHLIBDEPS OFF) # it needs the library of another package, and a link
set(CPACK_DEBIAN_GOMP_PACKAGE_DEPENDS "omptarget ${same}, libgomp1, libc6 (>= 2.28)")
omptarget_package(default omptarget-default libs "makes omptarget the offloading runtime of all users"
  "Sets the library path of login shells, so that programs of clang get\nomptarget instead of LLVM's libomptarget.")
set(CPACK_DEBIAN_DEFAULT_PACKAGE_DEPENDS "omptarget ${same}")
set(CPACK_DEBIAN_DEFAULT_PACKAGE_ARCHITECTURE all)
omptarget_package(dbgsym omptarget-dbgsym debug "debug symbols for the packages of omptarget"
  "Names of functions and source lines of the library, the plugins and the tools,\n\
which gdb and profilers find by themselves.")
set(CPACK_DEBIAN_DBGSYM_PACKAGE_DEPENDS "omptarget ${same}")
set(CPACK_DEBIAN_DBGSYM_PACKAGE_SHLIBDEPS OFF)
if(c_library)
  foreach(component LIBRARY PLUGINS TOOLS DEV DEVICE EMULATOR JIT)
    list(APPEND CPACK_DEBIAN_${component}_PACKAGE_DEPENDS ${c_library})
    list(JOIN CPACK_DEBIAN_${component}_PACKAGE_DEPENDS ", " CPACK_DEBIAN_${component}_PACKAGE_DEPENDS)
  endforeach()
endif()
file(WRITE ${PROJECT_BINARY_DIR}/debian/conffiles "/etc/profile.d/omptarget.sh\n")
set(CPACK_DEBIAN_DEFAULT_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/conffiles)
install(CODE "" COMPONENT dbgsym) # its files are made of those of the others
install(FILES ${CMAKE_CURRENT_LIST_DIR}/omptarget.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/omptarget
        COMPONENT default EXCLUDE_FROM_ALL)
include(CPack)
