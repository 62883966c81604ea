# SPDX-License-Identifier: Apache-2.0
# The kernel sources as lists, and the headers that name them: a new file in structures/ or variances/ is all that a
# new structure or variance needs. Sets UG_STRUCTURE_SOURCES and UG_GENERATED; used by cuda/ and host/.
include_guard(DIRECTORY)
set(UG_GENERATED ${PROJECT_BINARY_DIR}/generated)

# ug_kernel_lists(OUTPUT FOLDER...): reads {structures,variances} in every FOLDER, writes both headers and, for each
# variance, a file with the kernels whose rows lie in registers into OUTPUT, and sets UG_STRUCTURE_SOURCES in the
# caller.
function(ug_kernel_lists output)
  list(TRANSFORM ARGN APPEND "/structures/*.cu" OUTPUT_VARIABLE structure_globs)
  list(TRANSFORM ARGN APPEND "/variances/*.cuh" OUTPUT_VARIABLE variance_globs)
  file(GLOB structures CONFIGURE_DEPENDS ${structure_globs})
  file(GLOB variances CONFIGURE_DEPENDS ${variance_globs})
  set(includes "")
  set(variance_list "")
  set(held "")
  set(structure_list "")
  foreach(file ${variances})
    cmake_path(GET file STEM name)
    string(APPEND includes "#include \"${file}\"\n")
    string(APPEND variance_list " X(${name}, __VA_ARGS__)")
    file(CONFIGURE OUTPUT ${output}/held_${name}.cu @ONLY CONTENT
      "/* Made when the build was configured. */\n#include \"cuda/choice_start.cuh\"\n#include \"${file}\"\n\
UG_CHOICE_VARIANCE(ug_${name})\n")
    list(APPEND held ${output}/held_${name}.cu)
  endforeach()
  foreach(file ${structures})
    cmake_path(GET file STEM name)
    string(APPEND structure_list " X(${name})")
  endforeach()
  set(note "/* Made from the files in cuda/ when the build was configured. */\n")
  string(PREPEND includes "${note}#pragma once\n")
  file(CONFIGURE OUTPUT ${output}/ug_variances.cuh @ONLY
    CONTENT "${includes}#define UG_VARIANCES(X, ...)${variance_list}\n")
  file(CONFIGURE OUTPUT ${output}/ug_structures.h @ONLY
    CONTENT "${note}#define UG_STRUCTURES(X)${structure_list}\n")
  set(UG_STRUCTURE_SOURCES ${structures} ${held} ${PROJECT_SOURCE_DIR}/cuda/tuned.cu PARENT_SCOPE)
endfunction()

ug_kernel_lists(${UG_GENERATED} ${PROJECT_SOURCE_DIR}/cuda)
