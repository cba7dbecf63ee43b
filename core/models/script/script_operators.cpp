#include "core/models/script/script_operators.h"

#include <sstream>

namespace dasgd {

namespace {

// Operators of LibTorch that compute with tensors, numbers, text and containers of them, or draw random numbers. Left
// out are those that name files (save, from_file), take memory that they are told of (set_, resize_, unsafe variants),
// start work elsewhere (fork, wait, record_stream), change a state of the whole process (manual_seed), or belong to
// layouts and libraries that training here does not use (sparse, quantized, MKL-DNN, cuDNN).
constexpr const char* kAten =
    "Bool Complex ComplexImplicit Delete Float FloatImplicit Int IntImplicit ScalarImplicit Size __and__ "
    "__contains__ __derive_index __getitem__ __iand__ __ilshift__ __interpolate __ior__ __irshift__ __is__ "
    "__isnot__ __ixor__ __lshift__ __not__ __or__ __range_length __round_to_zero_floordiv __rshift__ __upsample "
    "__upsample_bilinear __upsample_nearest __xor__ _adaptive_avg_pool2d _adaptive_avg_pool3d _aminmax "
    "_assert_async _batch_norm_impl_index _cast_Byte _cast_Char _cast_Double _cast_Float _cast_Half _cast_Int "
    "_cast_Long _cast_Short _convolution _convolution_mode _dim_arange _euclidean_dist _get_tracing_state "
    "_grad_sum_to_size _infer_size _is_all_true _is_any_true _list_to_tensor _local_scalar_dense _log_softmax "
    "_masked_softmax _native_multi_head_attention _nested_tensor_from_mask _nested_tensor_from_mask_left_aligned "
    "_no_grad_embedding_renorm_ _no_grad_fill_ _no_grad_normal_ _no_grad_uniform_ _no_grad_zero_ "
    "_pack_padded_sequence _pad_circular _pad_enum _pad_packed_sequence _reshape_from_tensor _safe_softmax "
    "_sample_dirichlet _scaled_dot_product_attention_math _set_item _shape_as_tensor _size_if_not_equal _softmax "
    "_stack _standard_gamma _tensor_to_list _transformer_encoder_layer_fwd _trilinear _unique _unique2 "
    "_unwrap_optional _upsample_bicubic2d_aa _upsample_bilinear2d_aa _upsample_nearest_exact1d "
    "_upsample_nearest_exact2d _upsample_nearest_exact3d _weight_norm abs abs_ absolute absolute_ acos acos_ "
    "acosh acosh_ adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d "
    "adaptive_max_pool2d adaptive_max_pool3d add add_ addbmm addbmm_ addcdiv addcdiv_ addcmul addcmul_ addmm "
    "addmm_ addmv addmv_ addr addr_ adjoint affine_grid_generator alias all allclose alpha_dropout alpha_dropout_ "
    "amax amin aminmax angle any append arange arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ "
    "arctan arctan2 arctan2_ arctan_ arctanh arctanh_ argmax argmin argsort argwhere as_strided as_strided_ "
    "as_tensor asin asin_ asinh asinh_ atan atan2 atan2_ atan_ atanh atanh_ atleast_1d atleast_2d atleast_3d "
    "avg_pool1d avg_pool2d avg_pool3d backward baddbmm baddbmm_ bartlett_window batch_norm bernoulli bernoulli_ "
    "bilinear bin binary_cross_entropy binary_cross_entropy_with_logits bincount binomial bitwise_and "
    "bitwise_and_ bitwise_left_shift bitwise_left_shift_ bitwise_not bitwise_not_ bitwise_or bitwise_or_ "
    "bitwise_right_shift bitwise_right_shift_ bitwise_xor bitwise_xor_ blackman_window block_diag bmm "
    "broadcast_tensors broadcast_to bucketize capitalize cartesian_prod cat cauchy cauchy_ cdist ceil ceil_ celu "
    "celu_ center chain_matmul chalf channel_shuffle cholesky cholesky_inverse cholesky_solve chr chunk clamp "
    "clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clear clip clip_ clone col2im column_stack combinations "
    "complex concat concatenate conj conj_physical conj_physical_ constant_pad_nd contiguous conv1d conv2d conv3d "
    "conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution copy copy_ copysign copysign_ "
    "corrcoef cos cos_ cosh cosh_ cosine_embedding_loss cosine_similarity count count_nonzero cov cross "
    "cross_entropy_loss ctc_loss cummax cummin cumprod cumprod_ cumsum cumsum_ cumulative_trapezoid data deg2rad "
    "deg2rad_ degrees det detach detach_ device diag diag_embed diagflat diagonal diagonal_scatter dict diff "
    "digamma digamma_ dim dist div div_ divide divide_ divmod dot dropout dropout_ dsplit dstack einsum "
    "element_size elu elu_ embedding embedding_bag embedding_renorm embedding_renorm_ empty empty_like "
    "empty_strided endswith eq eq_ equal erf erf_ erfc erfc_ erfinv erfinv_ exp exp2 exp2_ exp_ expand expand_as "
    "expandtabs expm1 expm1_ exponential exponential_ extend eye fabs factorial feature_alpha_dropout "
    "feature_alpha_dropout_ feature_dropout feature_dropout_ fft_fft fft_fft2 fft_fftfreq fft_fftn fft_fftshift "
    "fft_hfft fft_hfft2 fft_hfftn fft_ifft fft_ifft2 fft_ifftn fft_ifftshift fft_ihfft fft_ihfft2 fft_ihfftn "
    "fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2 fft_rfftfreq fft_rfftn fill fill_ fill_diagonal_ find fix "
    "fix_ flatten flip fliplr flipud float_power float_power_ floor floor_ floor_divide floor_divide_ floordiv "
    "fmax fmin fmod fmod_ format frac frac_ fractional_max_pool2d fractional_max_pool3d frexp frobenius_norm full "
    "full_like gamma gather gcd gcd_ ge ge_ gelu gelu_ geometric geometric_ geqrf ger get get_autocast_dtype "
    "get_device glu grad gradient greater greater_ greater_equal greater_equal_ grid_sampler grid_sampler_2d "
    "grid_sampler_3d group_norm gru gru_cell gt gt_ hamming_window hann_window hardshrink hardsigmoid "
    "hardsigmoid_ hardswish hardswish_ hardtanh hardtanh_ hash heaviside heaviside_ hex hinge_embedding_loss "
    "histc histogram histogramdd hsplit hstack huber_loss hypot hypot_ i0 i0_ igamma igamma_ igammac igammac_ "
    "im2col imag index index_add index_add_ index_copy index_copy_ index_fill index_fill_ index_put index_put_ "
    "index_reduce index_reduce_ index_select inner insert instance_norm inverse is_autocast_cpu_enabled "
    "is_autocast_enabled is_complex is_conj is_contiguous is_floating_point is_grad_enabled is_leaf is_neg "
    "is_nonzero is_signed isalnum isalpha isclose isdecimal isdigit isfinite isidentifier isin isinf islower "
    "isnan isneginf isnumeric isposinf isprintable isreal isspace istft istitle isupper item items join "
    "kaiser_window keys kl_div kron kthvalue l1_loss layer_norm lcm lcm_ ldexp ldexp_ le le_ leaky_relu "
    "leaky_relu_ len lerp lerp_ less less_ less_equal less_equal_ lgamma lgamma_ linalg_cholesky "
    "linalg_cholesky_ex linalg_cond linalg_cross linalg_det linalg_diagonal linalg_eig linalg_eigh linalg_eigvals "
    "linalg_eigvalsh linalg_householder_product linalg_inv linalg_inv_ex linalg_ldl_factor linalg_ldl_factor_ex "
    "linalg_ldl_solve linalg_lstsq linalg_lu linalg_lu_factor linalg_lu_factor_ex linalg_lu_solve linalg_matmul "
    "linalg_matrix_exp linalg_matrix_norm linalg_matrix_power linalg_matrix_rank linalg_multi_dot linalg_norm "
    "linalg_pinv linalg_qr linalg_slogdet linalg_solve linalg_solve_ex linalg_solve_triangular linalg_svd "
    "linalg_svdvals linalg_tensorinv linalg_tensorsolve linalg_vander linalg_vecdot linalg_vector_norm linear "
    "linspace list ljust log log10 log10_ log1p log1p_ log2 log2_ log_ log_normal log_normal_ log_sigmoid "
    "log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and logical_and_ logical_not logical_not_ "
    "logical_or logical_or_ logical_xor logical_xor_ logit logit_ logspace logsumexp lower lstm lstm_cell lstrip "
    "lt lt_ lu_solve lu_unpack mH mT margin_ranking_loss masked_fill masked_fill_ masked_scatter masked_scatter_ "
    "masked_select mathremainder matmul matrix_H matrix_exp matrix_power max max_pool1d max_pool1d_with_indices "
    "max_pool2d max_pool2d_with_indices max_pool3d max_pool3d_with_indices max_unpool2d max_unpool3d maximum mean "
    "median meshgrid min minimum mish mish_ mm mode modf moveaxis movedim mse_loss msort mul mul_ "
    "multi_margin_loss multilabel_margin_loss multinomial multiply multiply_ mv mvlgamma mvlgamma_ nan_to_num "
    "nan_to_num_ nanmean nanmedian nanquantile nansum narrow native_batch_norm native_channel_shuffle "
    "native_dropout native_group_norm native_layer_norm ne ne_ neg neg_ negative negative_ new_empty "
    "new_empty_strided new_full new_ones new_zeros nextafter nextafter_ nll_loss nll_loss2d nll_loss_nd nonzero "
    "nonzero_numpy nonzero_static norm norm_except_dim normal normal_ not_equal not_equal_ nuclear_norm numel oct "
    "one_hot ones ones_like ord orgqr ormqr outer pad pad_sequence pairwise_distance partition pdist "
    "percentFormat permute pinverse pixel_shuffle pixel_unshuffle poisson poisson_nll_loss polar polygamma "
    "polygamma_ pop popitem positive pow pow_ prelu prod promote_types put put_ qr quantile rad2deg rad2deg_ "
    "radians rand rand_like randint randint_like randn randn_like random random_ randperm range ravel real "
    "reciprocal reciprocal_ reflection_pad1d reflection_pad2d reflection_pad3d relu relu6 relu6_ relu_ remainder "
    "remainder_ remove renorm renorm_ repeat repeat_interleave replace replication_pad1d replication_pad2d "
    "replication_pad3d requires_grad_ reshape reshape_as resolve_conj resolve_neg result_type reverse rfind "
    "rindex rjust rms_norm rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell roll rot90 round round_ row_stack "
    "rpartition rrelu rrelu_ rrelu_with_noise rrelu_with_noise_ rsplit rsqrt rsqrt_ rstrip rsub scalar_tensor "
    "scaled_dot_product_attention scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_ "
    "searchsorted select select_scatter selu selu_ set_grad_enabled setdefault sgn sgn_ sigmoid sigmoid_ sign "
    "sign_ signbit silu silu_ sin sin_ sinc sinc_ sinh sinh_ size slice slice_scatter slogdet slow_conv3d "
    "slow_conv_dilated2d slow_conv_dilated3d slow_conv_transpose2d slow_conv_transpose3d smooth_l1_loss "
    "soft_margin_loss softmax softplus softshrink sort sorted special_airy_ai special_bessel_j0 special_bessel_j1 "
    "special_bessel_y0 special_bessel_y1 special_chebyshev_polynomial_t special_chebyshev_polynomial_u "
    "special_chebyshev_polynomial_v special_chebyshev_polynomial_w special_digamma special_entr special_erf "
    "special_erfc special_erfcx special_erfinv special_exp2 special_expit special_expm1 special_gammainc "
    "special_gammaincc special_gammaln special_hermite_polynomial_h special_hermite_polynomial_he special_i0 "
    "special_i0e special_i1 special_i1e special_laguerre_polynomial_l special_legendre_polynomial_p special_log1p "
    "special_log_ndtr special_log_softmax special_logit special_logsumexp special_modified_bessel_i0 "
    "special_modified_bessel_i1 special_modified_bessel_k0 special_modified_bessel_k1 special_multigammaln "
    "special_ndtr special_ndtri special_polygamma special_psi special_round special_scaled_modified_bessel_k0 "
    "special_scaled_modified_bessel_k1 special_shifted_chebyshev_polynomial_t "
    "special_shifted_chebyshev_polynomial_u special_shifted_chebyshev_polynomial_v "
    "special_shifted_chebyshev_polynomial_w special_sinc special_softmax special_spherical_bessel_j0 "
    "special_xlog1py special_xlogy special_zeta split split_with_sizes splitlines sqrt sqrt_ square square_ "
    "squeeze squeeze_ stack startswith std std_mean stft storage_offset str stride strip sub sub_ subtract "
    "subtract_ sum sum_to_size svd swapaxes swapaxes_ swapcase swapdims swapdims_ t t_ take take_along_dim tan "
    "tan_ tanh tanh_ tensor tensor_split tensordot thnn_conv2d threshold threshold_ tile title to to_dense "
    "to_padded_tensor topk trace transpose transpose_ trapezoid trapz triangular_solve tril tril_ tril_indices "
    "triplet_margin_loss triu triu_ triu_indices true_divide true_divide_ trunc trunc_ type_as unbind unflatten "
    "unfold uniform uniform_ unique_consecutive unique_dim unique_dim_consecutive unsqueeze unsqueeze_ update "
    "upper upsample_bicubic2d upsample_bilinear2d upsample_linear1d upsample_nearest1d upsample_nearest2d "
    "upsample_nearest3d upsample_trilinear3d values vander var var_mean vdot view view_as view_as_complex "
    "view_as_real vsplit vstack warn where xlogy xlogy_ zero zero_ zeros zeros_like zfill";

// Statements of the language: control flow, attributes, calls, constants, containers and facts about tensors.
constexpr const char* kPrim =
    "CallFunction CallMethod Constant ConstantChunk CreateObject DictConstruct DictIndex Enter EnumName EnumValue "
    "Exit GetAttr HasAttr If ImplicitTensorToNum ListConstruct ListUnpack Loop ModuleContainerIndex NumToTensor "
    "Print RaiseException SetAttr StringIndex TupleConstruct TupleIndex TupleSlice TupleUnpack Uninitialized abs "
    "data device dtype grad id index is_cpu is_cuda is_meta is_mkldnn is_nested is_quantized is_sparse isinstance "
    "itemsize layout max min name nbytes rangelist requires_grad shape tolist type unchecked_cast "
    "unchecked_unwrap_optional";

void addNames(std::unordered_set<std::string>& names, const std::string& prefix, const char* list) {
    std::istringstream words(list);
    for (std::string word; words >> word;) names.insert(prefix + word);
}

}  // namespace

const std::unordered_set<std::string>& allowedOperators() {
    static const std::unordered_set<std::string> kAllowed = [] {
        std::unordered_set<std::string> names;
        addNames(names, "aten::", kAten);
        addNames(names, "prim::", kPrim);
        return names;
    }();
    return kAllowed;
}

}  // namespace dasgd
