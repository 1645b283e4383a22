// Parts of neural networks: norms, rotary positions, attention, convolutions, layers, random numbers.

package frit

// FastScaledDotProductAttention is softmax(scale * q @ k^T + mask) @ v. The mode is "", "causal" or "array", which takes
// the mask. Sinks are one more score for each head.
func FastScaledDotProductAttention(q, k, v *Array, scale float32, mode string, mask *Array, sinks ...*Array) *Array {
	if len(sinks) > 1 {
		panic(&Error{sprintf("FastScaledDotProductAttention: %d arrays of sinks, not one", len(sinks))})
	}
	var sink *Array
	if len(sinks) == 1 {
		sink = sinks[0]
	}
	return fastScaledDotProductAttention(q, k, v, scale, mode, mask, sink)
}

// ScaledDotProductAttention is softmax(scale * q @ k^T) @ v, causal where asked for.
func ScaledDotProductAttention(q, k, v *Array, scale float32, causal bool) *Array {
	mode := ""
	if causal {
		mode = "causal"
	}
	return FastScaledDotProductAttention(q, k, v, scale, mode, nil)
}

// ScaledDotProductAttentionWithSinks has a mask and one more score for each head.
func ScaledDotProductAttentionWithSinks(q, k, v *Array, scale float32, mode string, mask, sinks *Array) *Array {
	return FastScaledDotProductAttention(q, k, v, scale, mode, mask, sinks)
}

// RMSNormFn is the rows of x over the root of their mean square, times a weight that may be nil.
func RMSNormFn(x, weight *Array, eps float32) *Array { return FastRMSNorm(x, weight, eps) }

// RMSNormNoWeight is the same without a weight.
func RMSNormNoWeight(x *Array, eps float32) *Array { return FastRMSNorm(x, nil, eps) }

// LayerNormFn is the rows of x without their mean, over their deviation; weight and bias may be nil.
func LayerNormFn(x, weight, bias *Array, eps float32) *Array {
	return FastLayerNorm(x, weight, bias, eps)
}

// LayerNormWithWeightBias is the same as LayerNormFn.
func LayerNormWithWeightBias(x, weight, bias *Array, eps float32) *Array {
	return FastLayerNorm(x, weight, bias, eps)
}

// RoPE is rotary positions from an offset.
func RoPE(x *Array, dims int, traditional bool, base, scale float32, offset int) *Array {
	return fastRoPE(x, dims, traditional, &base, scale, offset, nil)
}

// RoPEWithBase has the offsets as an array: one, or one for each element of the batch.
func RoPEWithBase(x *Array, dims int, traditional bool, base, scale float32, offsets *Array) *Array {
	return fastRoPEDynamic(x, dims, traditional, &base, scale, offsets, nil)
}

// RoPEWithFreqs has frequencies of its own; where they are nil they follow from the base.
func RoPEWithFreqs(x *Array, dims int, traditional bool, base, scale float32, offsets, freqs *Array) *Array {
	if freqs == nil {
		return RoPEWithBase(x, dims, traditional, base, scale, offsets)
	}
	return fastRoPEDynamic(x, dims, traditional, nil, scale, offsets, freqs)
}

// plusBias adds a bias that may be nil.
func plusBias(a, bias *Array) *Array {
	if bias == nil {
		return a
	}
	return Add(a, bias)
}

// Conv1d is a convolution of (batch, positions, channels) with (outputs, kernel, channels / groups).
func Conv1d[I Integer](x, weight, bias *Array, stride, padding, dilation, groups I) *Array {
	return plusBias(conv1d(x, weight, int(stride), int(padding), int(dilation), int(groups)), bias)
}

// ConvTranspose1d spreads each element over the kernel.
func ConvTranspose1d[I Integer](x, weight, bias *Array, stride I) *Array {
	return plusBias(convTranspose1d(x, weight, int(stride), 0, 1, 0, 1), bias)
}

// DepthwiseConv1d has one kernel for each channel.
func DepthwiseConv1d(x, weight, bias *Array) *Array {
	return Conv1d(x, weight, bias, 1, 0, 1, x.Dim(-1))
}

// DepthwiseConvSiLU is the SiLU of a depthwise convolution, the last outLen positions of it.
func DepthwiseConvSiLU(x, w, bias *Array, outLen int) *Array {
	y := DepthwiseConv1d(x, w, bias)
	if n := y.Dim(1); n > outLen {
		y = SliceAxis(y, 1, n-outLen, n)
	}
	return SiLU(y)
}

// Conv2d is a convolution of (batch, rows, columns, channels) with (outputs, rows, columns, channels / groups).
func Conv2d[I Integer](x, weight *Array, strideH, strideW, padH, padW, dilationH, dilationW, groups I) *Array {
	return conv2d(x, weight, int(strideH), int(strideW), int(padH), int(padW), int(dilationH), int(dilationW), int(groups))
}

// Conv3d is a convolution along three axes.
func Conv3d[I Integer](x, weight *Array, strideD, strideH, strideW, padD, padH, padW I) *Array {
	return conv3d(x, weight, int(strideD), int(strideH), int(strideW), int(padD), int(padH), int(padW), 1, 1, 1, 1)
}

// RandomNormal is normally distributed numbers that follow from a seed.
func RandomNormal[I Integer](shape []I, seed uint64) *Array {
	return RandomNormalWithDtype(shape, seed, Float32)
}

// RandomNormalWithDtype is the same of any floating-point type.
func RandomNormalWithDtype[I Integer](shape []I, seed uint64, dtype DType) *Array {
	key := RandomKey(seed)
	defer key.Free()
	return RandomNormalWithKey(ints(shape), dtype, 0, 1, key)
}

// RandomNormalWithKey has a mean and a deviation. A nil key is the next one of the process.
func RandomNormalWithKey(shape []int, dtype DType, mean, deviation float32, key *Array) *Array {
	return randomNormal(shape, dtype, mean, deviation, key)
}

// RandN is normally distributed numbers.
func RandN[I Integer](shape []I) *Array { return randomNormal(ints(shape), Float32, 0, 1, nil) }

// RandomUniform is numbers between 0 and 1 that follow from a seed.
func RandomUniform[I Integer](shape []I, seed uint64) *Array {
	key, low, high := RandomKey(seed), FromValue(float32(0)), FromValue(float32(1))
	defer key.Free()
	return randomUniform(low, high, ints(shape), Float32, key)
}

// RandomSplit is two keys from one.
func RandomSplit(key *Array) (*Array, *Array) { return randomSplit(key) }

// RandomCategorical draws positions along an axis, whose elements are logits.
func RandomCategorical(logits *Array, axis, samples int) *Array {
	return randomCategoricalNumSamples(logits, axis, samples, nil)
}

// RandomCategoricalWithKey is the same with a key.
func RandomCategoricalWithKey(logits, key *Array, axis, samples int) *Array {
	return randomCategoricalNumSamples(logits, axis, samples, key)
}

// Bernoulli is true with a probability for each element.
func Bernoulli(p *Array) *Array { return randomBernoulli(p, p.Dims(), nil) }

// BernoulliWithKey is the same with a key.
func BernoulliWithKey(p, key *Array) *Array { return randomBernoulli(p, p.Dims(), key) }

// LayerNorm is a layer with a weight and a bias, either of which may be nil.
type LayerNorm struct {
	Weight *Array `weight:"weight"`
	Bias   *Array `weight:"bias"`
}

// Forward normalises the rows of x.
func (l *LayerNorm) Forward(x *Array, eps float32) *Array {
	return FastLayerNorm(x, l.Weight, l.Bias, eps)
}

// RMSNorm is a layer with a weight that may be nil.
type RMSNorm struct {
	Weight *Array `weight:"weight"`
}

// Forward normalises the rows of x.
func (l *RMSNorm) Forward(x *Array, eps float32) *Array { return FastRMSNorm(x, l.Weight, eps) }

// Linear is a layer whose weight has a row for each output.
type Linear struct {
	Weight *Array `weight:"weight"`
	Bias   *Array `weight:"bias,optional"`
}

// Forward is x @ weight^T plus the bias.
func (l *Linear) Forward(x *Array) *Array { return plusBias(Matmul(x, Transpose(l.Weight)), l.Bias) }

// Gather is the same for a batch of weights, picked by indices.
func (l *Linear) Gather(x, lhs, rhs *Array, sorted bool) *Array {
	n := l.Weight.NumDims()
	return plusBias(GatherMM(x, SwapAxes(l.Weight, n-2, n-1), lhs, rhs, sorted), l.Bias)
}

// Embedding is a table with a row for each token.
type Embedding struct {
	Weight *Array `weight:"weight"`
}

// Forward is the rows at indices.
func (e *Embedding) Forward(indices *Array) *Array { return Take(e.Weight, indices, 0) }

// AsLinear is the layer that gives the scores of all rows.
func (e *Embedding) AsLinear() Linear { return Linear{Weight: e.Weight} }
