# How weft builds its own tests, examples and benchmarks. Users of the targets never read this file.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(WEFT_CCACHE ccache)
mark_as_advanced(WEFT_CCACHE)
if(WEFT_CCACHE)
  foreach(lang IN ITEMS CXX CUDA)
    if(NOT DEFINED CMAKE_${lang}_COMPILER_LAUNCHER)
      # a file that uses a precompiled header has its bytes in its key; without these it would not be cached
      set(CMAKE_${lang}_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros
          "${WEFT_CCACHE}")
    endif()
  endforeach()
endif()

# weft_strict: warnings, -march=native and sanitizers, for the host compiler and for nvcc's host half.
add_library(weft_strict INTERFACE)
set(weft_host_flags -Wall -Wextra -Wconversion -Wshadow)
set(weft_cuda_flags "")
if(WEFT_NATIVE)
  list(APPEND weft_host_flags -march=native)
endif()
if(WEFT_SANITIZE)
  list(APPEND weft_host_flags "-fsanitize=${WEFT_SANITIZE}" -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(weft_strict INTERFACE "-fsanitize=${WEFT_SANITIZE}")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees an impossible overlap in `"literal" + std::string` at -O2 and above (GCC bug 105651).
  list(APPEND weft_host_flags -Wno-restrict)
endif()
foreach(flag IN LISTS weft_host_flags)
  string(APPEND weft_cuda_flags " -Xcompiler=${flag}")
endforeach()
if(WEFT_WERROR)
  list(APPEND weft_host_flags -Werror)
  string(APPEND weft_cuda_flags " -Xcompiler=-Werror -Werror=all-warnings")
endif()
# A spill or a local array in a kernel is a warning, so an error here.
string(APPEND weft_cuda_flags " -Xptxas=-warn-spills,-warn-lmem-usage")
target_compile_options(weft_strict INTERFACE
                       "$<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang>:${weft_host_flags}>"
                       "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:SHELL:${weft_cuda_flags}>")

# weft_add_programs(kind folder): builds what stands in folder (examples/ or benchmarks/):
#   folder/NAME.cpp, folder/NAME.cu                         the program NAME
#   folder/NAME/main.cpp with the other files beside it     the program NAME
#   folder/NAME/OTHER.cpp that has a main of its own        the program NAME_OTHER
# A folder with a CMakeLists.txt of its own is left alone. The targets are kind_NAME (host) and kind_NAME_cuda:
# a .cpp is compiled a second time as CUDA where a CUDA compiler is, a .cu is CUDA only. kind_all and
# kind_all_cuda build them all. Programs land in the build tree's folder of the same name.
function(weft_add_programs kind folder)
  add_custom_target(${kind}_all)
  add_custom_target(${kind}_all_cuda)
  file(GLOB entries CONFIGURE_DEPENDS "${folder}/*.cpp" "${folder}/*.cu" "${folder}/*/*.cpp" "${folder}/*/*.cu")
  set(names "")
  foreach(source IN LISTS entries)
    get_filename_component(parent "${source}" DIRECTORY)
    get_filename_component(file_name "${source}" NAME_WE)
    if(parent STREQUAL folder)
      set(name ${file_name})
    elseif(EXISTS "${parent}/CMakeLists.txt")
      continue()
    else()
      get_filename_component(name "${parent}" NAME)
      file(STRINGS "${source}" own_main REGEX "^int main\\(")
      if(own_main AND NOT file_name STREQUAL "main")
        set(name ${name}_${file_name})
      endif()
    endif()
    list(APPEND names ${name})
    list(APPEND sources_${name} "${source}")
  endforeach()
  list(REMOVE_DUPLICATES names)

  foreach(name IN LISTS names)
    set(host_sources ${sources_${name}})
    list(FILTER host_sources INCLUDE REGEX "\\.cpp$")
    set(cuda_sources ${sources_${name}})
    list(FILTER cuda_sources INCLUDE REGEX "\\.cu$")
    if(NOT cuda_sources)
      weft_add_program(${kind}_${name} ${name} "${folder}" weft::weft ${host_sources})
      add_dependencies(${kind}_all ${kind}_${name})
    endif()
    if(CMAKE_CUDA_COMPILER AND TARGET weft::cuda)
      if(NOT cuda_sources) # a file's language is the folder's, not the target's: CUDA gets a file of one line
        foreach(source IN LISTS host_sources)
          file(RELATIVE_PATH relative "${folder}" "${source}")
          set(wrapper "${PROJECT_BINARY_DIR}/as_cuda/${kind}/${relative}.cu")
          file(CONFIGURE OUTPUT "${wrapper}" CONTENT "#include \"${source}\"\n")
          list(APPEND cuda_sources "${wrapper}")
        endforeach()
        set(host_sources "")
      endif()
      weft_add_program(${kind}_${name}_cuda ${name}_cuda "${folder}" weft::cuda ${cuda_sources} ${host_sources})
      add_dependencies(${kind}_all_cuda ${kind}_${name}_cuda)
    endif()
  endforeach()
endfunction()

function(weft_add_program target name folder library)
  get_filename_component(folder_name "${folder}" NAME)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE ${library} weft_strict)
  target_compile_definitions(${target} PRIVATE WEFT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
                        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${folder_name}")
endfunction()
