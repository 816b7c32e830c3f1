# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# cpack runs this when the files of the packages are laid out: adds what Debian expects of each, and moves what lies
# elsewhere there.
set(epoch $ENV{SOURCE_DATE_EPOCH})
if(NOT epoch)
  execute_process(COMMAND git -C ${CMAKE_CURRENT_LIST_DIR} log -1 --format=%ct
    OUTPUT_VARIABLE epoch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT epoch)
    string(TIMESTAMP epoch "%s" UTC)
  endif()
  set(ENV{SOURCE_DATE_EPOCH} ${epoch}) # also for cpack, which writes the archives
endif()
execute_process(COMMAND date -R -u -d @${epoch} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE)

# Takes the symbols out of a program or library, to where gdb looks for them.
function(split_symbols file)
  execute_process(COMMAND ${CPACK_OMPTARGET_READELF} -n ${file} OUTPUT_VARIABLE notes COMMAND_ERROR_IS_FATAL ANY)
  if(NOT notes MATCHES "Build ID: ([0-9a-f][0-9a-f])([0-9a-f]+)")
    message(FATAL_ERROR "${file} has no build ID, by which debuggers find its symbols: link with --build-id")
  endif()
  set(folder ${CPACK_TEMPORARY_DIRECTORY}/dbgsym/usr/lib/debug/.build-id/${CMAKE_MATCH_1})
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ${CPACK_OMPTARGET_OBJCOPY} --only-keep-debug --compress-debug-sections=zlib ${file}
                          ${folder}/${CMAKE_MATCH_2}.debug COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CPACK_OMPTARGET_OBJCOPY} --strip-unneeded --remove-section=.comment ${file}
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# A file for the host begins like the library: ELF, its byte order, shared or position independent, its processor.
# Device code stays as it is.
function(kind_of_file result file)
  file(READ ${file} magic LIMIT 6 HEX)
  file(READ ${file} kind OFFSET 16 LIMIT 4 HEX)
  set(${result} ${magic}${kind} PARENT_SCOPE)
endfunction()
kind_of_file(host ${CPACK_TEMPORARY_DIRECTORY}/library${CPACK_PACKAGING_INSTALL_PREFIX}/lib/libomptarget.so)
file(GLOB_RECURSE files LIST_DIRECTORIES OFF ${CPACK_TEMPORARY_DIRECTORY}/*)
foreach(file ${files})
  kind_of_file(kind ${file})
  if(kind STREQUAL host AND NOT IS_SYMLINK ${file})
    split_symbols(${file})
  endif()
endforeach()

file(READ ${CMAKE_CURRENT_LIST_DIR}/copyright copyright)
foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component})
  set(prefix ${root}${CPACK_PACKAGING_INSTALL_PREFIX})
  set(documents ${root}/usr/share/doc/${package})
  file(MAKE_DIRECTORY ${documents})
  if(component STREQUAL "dev") # documentation goes where all packages have it
    file(RENAME ${prefix}/share/doc/omptarget ${documents}/guides)
    file(REMOVE ${documents}/guides/LICENSE)
    file(REMOVE_RECURSE ${prefix}/share/doc)
    # Where CMake and pkg-config look by default. The latter takes the folder of a link for that of the file.
    if(CPACK_OMPTARGET_TRIPLET)
      set(libraries ${root}/usr/lib/${CPACK_OMPTARGET_TRIPLET})
      file(MAKE_DIRECTORY ${libraries}/cmake ${libraries}/pkgconfig)
      file(CREATE_LINK ../../omptarget/lib/cmake/omptarget ${libraries}/cmake/omptarget SYMBOLIC)
      file(READ ${prefix}/lib/pkgconfig/omptarget.pc description)
      string(REGEX REPLACE "^prefix=[^\n]*" "prefix=${CPACK_PACKAGING_INSTALL_PREFIX}" description "${description}")
      file(WRITE ${libraries}/pkgconfig/omptarget.pc "${description}")
    endif()
  elseif(component STREQUAL "default")
    file(MAKE_DIRECTORY ${root}/etc/profile.d)
    file(RENAME ${prefix}/share/omptarget/omptarget.sh ${root}/etc/profile.d/omptarget.sh)
    file(REMOVE_RECURSE ${root}/usr/lib)
  endif()
  foreach(folder man bash-completion) # where man and bash look
    if(EXISTS ${prefix}/share/${folder})
      file(MAKE_DIRECTORY ${root}/usr/share)
      file(RENAME ${prefix}/share/${folder} ${root}/usr/share/${folder})
    endif()
  endforeach()
  file(GLOB pages ${root}/usr/share/man/man1/*)
  if(pages)
    execute_process(COMMAND gzip -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
  endif()
  file(GLOB programs RELATIVE ${prefix}/bin ${prefix}/bin/*)
  foreach(program ${programs})
    file(MAKE_DIRECTORY ${root}/usr/bin)
    file(CREATE_LINK ../lib/omptarget/bin/${program} ${root}/usr/bin/${program} SYMBOLIC)
  endforeach()
  file(WRITE ${documents}/copyright "${copyright}")
  file(GLOB overrides ${CMAKE_CURRENT_LIST_DIR}/lintian/all ${CMAKE_CURRENT_LIST_DIR}/lintian/${component})
  execute_process(COMMAND cat ${overrides} OUTPUT_VARIABLE overrides COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${root}/usr/share/lintian/overrides/${package} "${overrides}")
  set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
  file(WRITE ${documents}/changelog.Debian
    "${CPACK_PACKAGE_NAME} (${version}) unstable; urgency=medium\n\n  * Packages made by cpack.\n\n\
 -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  execute_process(COMMAND gzip -9n ${documents}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND find ${root} -type d -empty -delete COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND find ${root} -exec touch -h -d @${epoch} {} + COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND chmod -R u=rwX,go=rX ${root} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
