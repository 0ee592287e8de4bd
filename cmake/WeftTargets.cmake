# The targets weft::weft and weft::cuda. This file is read in two places: by weft's own CMakeLists.txt and,
# installed beside weftConfig.cmake, by find_package(weft). So a program finds CBLAS, OpenMP and CUDA on the
# machine where it is compiled, not on the one where weft was installed.

foreach(feature IN ITEMS CBLAS OPENMP CUDA)
  if(NOT DEFINED WEFT_WITH_${feature})
    set(WEFT_WITH_${feature} AUTO CACHE STRING "Use ${feature}: AUTO (when found), ON (or stop), OFF")
    set_property(CACHE WEFT_WITH_${feature} PROPERTY STRINGS AUTO ON OFF)
  endif()
endforeach()

# weft_report(feature found what): says what AUTO found, stops where ON found nothing.
function(weft_report feature found what)
  if(NOT WEFT_WITH_${feature})
    return() # switched off: nothing to say
  endif()
  if(found)
    message(STATUS "weft: ${feature}: ${what}")
  elseif(WEFT_WITH_${feature} STREQUAL "AUTO")
    message(STATUS "weft: ${feature}: not found, going on without")
  else()
    message(FATAL_ERROR "weft: WEFT_WITH_${feature} is ON but ${feature} was not found: ${what}")
  endif()
endfunction()

# The CUDA language, for weft's own programs. A user's project enables it itself, in its own scope.
macro(weft_enable_cuda_language)
  if(WEFT_WITH_CUDA)
    find_program(WEFT_NVCC nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
    mark_as_advanced(WEFT_NVCC)
    if(WEFT_NVCC AND NOT DEFINED CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
      set(ENV{CUDACXX} "${WEFT_NVCC}")
    endif()
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES "80-real;90a-real" CACHE STRING "GPU architectures")
    endif()
    include(CheckLanguage)
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
      enable_language(CUDA)
    endif()
    weft_report(CUDA "${CMAKE_CUDA_COMPILER}" "compiler ${CMAKE_CUDA_COMPILER}")
  endif()
endmacro()

# A CBLAS worth having. Netlib's reference BLAS is not looked for: weft's own matrix product is faster. Any
# other library that has cblas_sgemm can be named in WEFT_CBLAS_LIBRARY.
function(weft_find_cblas out_library)
  set(${out_library} "" PARENT_SCOPE)
  if(NOT WEFT_WITH_CBLAS)
    return()
  endif()
  find_library(WEFT_CBLAS_LIBRARY NAMES openblas blis mkl_rt PATH_SUFFIXES openblas-openmp openblas-pthread
               DOC "Library with cblas_sgemm")
  mark_as_advanced(WEFT_CBLAS_LIBRARY)
  if(WEFT_CBLAS_LIBRARY)
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_LIBRARIES "${WEFT_CBLAS_LIBRARY}")
    set(CMAKE_REQUIRED_QUIET ON)
    check_cxx_source_compiles("extern \"C\" void cblas_sgemm(); int main() { cblas_sgemm(); }" WEFT_CBLAS_LINKS)
    if(WEFT_CBLAS_LINKS)
      set(${out_library} "${WEFT_CBLAS_LIBRARY}" PARENT_SCOPE)
    endif()
  endif()
  weft_report(CBLAS "${WEFT_CBLAS_LINKS}" "${WEFT_CBLAS_LIBRARY}")
endfunction()

# weft_add_targets(include_dir [IMPORTED]): weft::weft and weft::large always, weft::cuda where a CUDA toolkit is, and
# weft::nccl where NCCL is, too.
macro(weft_add_targets include_dir)
  if("${ARGN}" STREQUAL "IMPORTED")
    add_library(weft::weft INTERFACE IMPORTED)
    set(weft_host_target weft::weft)
    set(weft_cuda_target weft::cuda)
  else()
    add_library(weft INTERFACE)
    add_library(weft::weft ALIAS weft)
    set(weft_host_target weft)
    set(weft_cuda_target weft_cuda)
  endif()
  target_compile_features(${weft_host_target} INTERFACE cxx_std_20)
  target_include_directories(${weft_host_target} INTERFACE "${include_dir}")
  # A product recomputed inside its consumer must give the bits it gave before: nothing contracts by itself.
  target_compile_options(${weft_host_target} INTERFACE
                         $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang>:-ffp-contract=off>)

  # Beside the others, for functions of thousands of operations: how long a compiler may evaluate one constant.
  if("${ARGN}" STREQUAL "IMPORTED")
    add_library(weft::large INTERFACE IMPORTED)
    set(weft_large_target weft::large)
  else()
    add_library(weft_large INTERFACE)
    add_library(weft::large ALIAS weft_large)
    set(weft_large_target weft_large)
  endif()
  target_compile_options(${weft_large_target} INTERFACE
                         $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fconstexpr-ops-limit=2000000000>
                         $<$<COMPILE_LANG_AND_ID:CXX,Clang,AppleClang>:-fconstexpr-steps=2000000000>
                         "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:SHELL:-Xcudafe --max_cost_constexpr_call=2000000000>"
                         "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:SHELL:-Xcompiler -fconstexpr-ops-limit=2000000000>")

  if(WEFT_WITH_OPENMP)
    find_package(OpenMP QUIET COMPONENTS CXX)
    weft_report(OPENMP "${OpenMP_CXX_FOUND}" "${OpenMP_CXX_FLAGS}")
    if(OpenMP_CXX_FOUND)
      target_link_libraries(${weft_host_target} INTERFACE OpenMP::OpenMP_CXX)
    endif()
  endif()

  weft_find_cblas(weft_cblas)
  if(weft_cblas)
    target_compile_definitions(${weft_host_target} INTERFACE WEFT_WITH_CBLAS=1)
    target_link_libraries(${weft_host_target} INTERFACE "${weft_cblas}")
  endif()

  if(WEFT_WITH_CUDA)
    find_package(CUDAToolkit QUIET)
    if(CUDAToolkit_FOUND AND TARGET CUDA::cublasLt)
      if("${ARGN}" STREQUAL "IMPORTED")
        add_library(weft::cuda INTERFACE IMPORTED)
      else()
        add_library(weft_cuda INTERFACE)
        add_library(weft::cuda ALIAS weft_cuda)
      endif()
      if(CMAKE_CUDA_RUNTIME_LIBRARY STREQUAL "Shared") # one CUDA runtime in a program, the one nvcc links
        target_link_libraries(${weft_cuda_target} INTERFACE weft::weft CUDA::cudart CUDA::cublasLt)
      else()
        target_link_libraries(${weft_cuda_target} INTERFACE weft::weft CUDA::cudart_static CUDA::cublasLt)
      endif()
      # nvcc's spelling of "nothing contracts by itself", for the device and for the host half.
      target_compile_options(${weft_cuda_target} INTERFACE
                             $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-fmad=false>
                             "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:SHELL:-Xcompiler -ffp-contract=off>")
      if(OpenMP_CXX_FOUND AND OpenMP_CXX_FLAGS)
        target_compile_options(${weft_cuda_target} INTERFACE
                               "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:SHELL:-Xcompiler ${OpenMP_CXX_FLAGS}>")
      endif()
      if("cuda_std_20" IN_LIST CMAKE_CUDA_COMPILE_FEATURES)
        target_compile_features(${weft_cuda_target} INTERFACE cuda_std_20)
      else() # CMake 3.25 does not know it of nvcc 13; and CUDA may still be enabled after find_package(weft)
        target_compile_options(${weft_cuda_target} INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
      endif()

      find_path(WEFT_NCCL_INCLUDE nccl.h HINTS ENV NCCL_HOME ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
      find_library(WEFT_NCCL_LIBRARY nccl HINTS ENV NCCL_HOME ${CUDAToolkit_LIBRARY_DIR} PATH_SUFFIXES lib lib64)
      mark_as_advanced(WEFT_NCCL_INCLUDE WEFT_NCCL_LIBRARY)
      if(WEFT_NCCL_INCLUDE AND WEFT_NCCL_LIBRARY)
        if("${ARGN}" STREQUAL "IMPORTED")
          add_library(weft::nccl INTERFACE IMPORTED)
          set(weft_nccl_target weft::nccl)
        else()
          add_library(weft_nccl INTERFACE)
          add_library(weft::nccl ALIAS weft_nccl)
          set(weft_nccl_target weft_nccl)
        endif()
        target_include_directories(${weft_nccl_target} SYSTEM INTERFACE "${WEFT_NCCL_INCLUDE}")
        target_link_libraries(${weft_nccl_target} INTERFACE weft::cuda "${WEFT_NCCL_LIBRARY}")
      endif()
    endif()
  endif()
endmacro()
