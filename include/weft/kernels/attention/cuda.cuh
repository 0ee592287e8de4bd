#pragma once
// Attention on a GPU, as steps: launches of its kernels.

#include "weft/kernels/attention/backward.cuh"
#include "weft/kernels/attention/forward.cuh"

namespace WEFT_NAMESPACE::kernels {

namespace detail {

template <class C>
CudaAttentionParameters<C> attention_parameters(const CudaLaunch& launch, const AttentionCall& call,
                                                int moving_tiles) {
  using P = CudaAttentionParameters<C>;
  P p{};
  for (int k = 0; k < P::pointers; ++k) p.pointer[k] = launch.args.pointer[k];
  for (int k = 0; k < P::numbers; ++k) p.number[k] = launch.numbers[k];
  using T = ctype<P::header.factors>;
  constexpr int at[]{AttentionPointers::q, AttentionPointers::k, AttentionPointers::v, AttentionPointers::dy};
  for (int k = 0; k < (P::header.is_gradient ? 4 : 3); ++k) {
    const auto operand = static_cast<AttentionCall::Operand>(k);
    bool chunks = GlobalRows<T>::chunks(p.pointer[at[k]], call.stride(operand, 2), call.stride(operand, 3));
    for (int a = 0; a < 2; ++a)
      chunks = chunks && call.stride(operand, a) * static_cast<i64>(sizeof(T)) % 16 == 0;
    if (chunks) p.in_chunks |= 1u << k;
  }
  const int words = (moving_tiles + 31) / 32;
  p.tile_mask_words = 8 * words <= most_tile_mask_bytes ? static_cast<u32>(words) : 0;
  return p;
}

template <class C>
void launch_attention(void (*kernel)(CudaAttentionParameters<C>),
                      const CudaAttentionParameters<C>& parameters, i64 blocks, int threads, i64 shared_bytes,
                      cudaStream_t stream) {
  if (blocks == 0) return;
  cuda_check(
      cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(shared_bytes)),
      "cudaFuncSetAttribute", "an attention");
  kernel<<<cuda_blocks(blocks), threads, static_cast<std::size_t>(shared_bytes), stream>>>(parameters);
  cuda_check_launch("an attention");
}

template <class Kernel, class C>
void launch_gradient_of(void (*kernel)(CudaAttentionParameters<C>), const CudaLaunch& launch,
                        const AttentionCall& call, cudaStream_t stream) {
  const i64 staying = Kernel::of_queries ? call.queries : call.keys,
            moving = Kernel::of_queries ? call.keys : call.queries;
  launch_attention(
      kernel,
      attention_parameters<C>(launch, call, static_cast<int>((moving + Kernel::moving - 1) / Kernel::moving)),
      call.batch * (Kernel::of_queries ? call.heads : call.kv_heads) *
          ((staying + Kernel::staying - 1) / Kernel::staying),
      Kernel::threads, Kernel::shared_bytes(), stream);
}
template <int Width, int ValueWidth, AttentionGradients Which, u64... W>
void launch_attention_gradient(Code<W...>, const CudaLaunch& launch, const AttentionCall& call,
                               cudaStream_t stream) {
  using C = Code<W...>;
  const auto kernel =
      &attention_gradient_kernel<kernel_tag, Width, ValueWidth, static_cast<u64>(Which), W...>;
  if constexpr (takes_warpgroups<C>()) {
    using Kernel = WarpgroupAttentionBackward<C, Width, ValueWidth, Which>;
    if (has_warpgroup_products()) return launch_gradient_of<Kernel>(kernel, launch, call, stream);
  }
  launch_gradient_of<CudaAttentionBackward<C, Width, ValueWidth, Which>>(kernel, launch, call, stream);
}

template <class Kernel, class C>
void launch_forward_of(void (*kernel)(CudaAttentionParameters<C>), const CudaLaunch& launch,
                       const AttentionCall& call, cudaStream_t stream) {
  launch_attention(
      kernel,
      attention_parameters<C>(launch, call, static_cast<int>((call.keys + Kernel::keys - 1) / Kernel::keys)),
      call.batch * call.heads * ((call.queries + Kernel::queries - 1) / Kernel::queries), Kernel::threads,
      Kernel::shared_bytes(), stream);
}
template <int Width, int ValueWidth, int RowTiles, u64... W>
void launch_attention_forward(Code<W...>, const CudaLaunch& launch, const AttentionCall& call,
                              cudaStream_t stream) {
  launch_forward_of<CudaAttentionForward<Code<W...>, Width, ValueWidth, RowTiles>>(
      &attention_kernel<kernel_tag, Width, ValueWidth, RowTiles, W...>, launch, call, stream);
}

template <int Width, int ValueWidth, u64... W>
void enqueue_attention(Code<W...> code, const CudaLaunch& launch, cudaStream_t stream) {
  using C = Code<W...>;
  constexpr AttentionHeader header = AttentionView<C>::header;
  const AttentionCall call = attention_call(launch.numbers, header.captured);
  if constexpr (header.is_gradient) {
    using At = AttentionPointers;
    using Which = AttentionGradients;
    const void* const* wanted = launch.args.pointer;
    if (wanted[At::dq] != nullptr)
      launch_attention_gradient<Width, ValueWidth, Which::of_queries>(code, launch, call, stream);
    // Two kernels where one thread cannot hold the sums of both.
    constexpr bool together = Width + ValueWidth <= (header.factors == DType::f32 ? 192 : 256);
    if constexpr (together) {
      if (wanted[At::dk] != nullptr || wanted[At::dv] != nullptr)
        launch_attention_gradient<Width, ValueWidth, Which::of_keys_and_values>(code, launch, call, stream);
    } else {
      if (wanted[At::dk] != nullptr)
        launch_attention_gradient<Width, ValueWidth, Which::of_keys>(code, launch, call, stream);
      if (wanted[At::dv] != nullptr)
        launch_attention_gradient<Width, ValueWidth, Which::of_values>(code, launch, call, stream);
    }
  } else {
    if constexpr (takes_warpgroups<C>()) {
      using Kernel = WarpgroupAttentionForward<C, Width, ValueWidth>;
      static_assert(Kernel::shared_bytes() <= most_warpgroup_shared_bytes);
      const auto kernel = &attention_kernel<kernel_tag, Width, ValueWidth, 1, W...>;
      if (has_warpgroup_products()) return launch_forward_of<Kernel>(kernel, launch, call, stream);
    }
    // Larger tiles where they fill the device twice over; results are the same bits.
    constexpr int most = most_row_tiles<C, Width, ValueWidth>();
    if constexpr (most > 1) {
      constexpr int queries = CudaAttentionForward<C, Width, ValueWidth, most>::queries;
      if (call.batch * call.heads * (call.queries / queries) >=
          2 * cuda_attribute(cudaDevAttrMultiProcessorCount)) {
        launch_attention_forward<Width, ValueWidth, most>(code, launch, call, stream);
        return;
      }
    }
    launch_attention_forward<Width, ValueWidth, 1>(code, launch, call, stream);
  }
}

}  // namespace detail

// Width, ValueWidth: at least those of the launch, as attention_width gives them.
template <class C, int Width, int ValueWidth>
void run_cuda_attention(const CudaLaunch& launch, cudaStream_t stream) {
  detail::enqueue_attention<Width, ValueWidth>(C{}, launch, stream);
}

}  // namespace WEFT_NAMESPACE::kernels
