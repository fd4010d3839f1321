# Run by cpack before it makes the packages (debian.cmake).
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(folder ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  configure_file(${CPACK_TUTTI_SOURCE}/LICENSE ${folder}/copyright COPYONLY)
  configure_file(${CPACK_TUTTI_SOURCE}/CHANGELOG.md ${folder}/changelog COPYONLY)
endforeach()
