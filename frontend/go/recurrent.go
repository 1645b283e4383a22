// Recurrent layers: the gated delta rule and the selective scan of Mamba 2.

package frit

import "math"

// heads repeats the heads along an axis of x until there are `count`.
func heads(x *Array, axis, count int) *Array {
	if n := x.Dim(axis); n != count {
		return Repeat(x, count/n, axis)
	}
	return x
}

// at is position t of axis 1, without that axis.
func at(x *Array, t int) *Array { return Squeeze(SliceAxis(x, 1, t, t+1), 1) }

// kept is x where the mask is true, and `padding` elsewhere. The mask has the first two axes of x.
func kept(mask, x *Array, padding float32) *Array {
	for mask.NumDims() < x.NumDims() {
		mask = ExpandDims(mask, -1)
	}
	return Where(mask, x, FullDtype(padding, x.DType()))
}

// checkShape panics unless x has these sizes.
func checkShape(function, name string, x *Array, sizes ...int) {
	dims := x.Dims()
	same := len(dims) == len(sizes)
	for i := 0; same && i < len(sizes); i++ {
		same = dims[i] == sizes[i]
	}
	if !same {
		panic(&Error{sprintf("%s: %s has the shape %v, but %v is wanted", function, name, dims, sizes)})
	}
}

// GatedDelta is the gated delta rule over t tokens (Yang et al., "Gated Delta Networks", 2024), with the norms of
// queries and keys and the gates in front of it.
//
// packed is (batch, t, 2*hk*dk + hv*dv): queries, keys and values of each token behind each other. ba is
// (batch, t, 2*hv): the inputs of the gates beta and alpha. dtBias and aExp are (hv). state is (batch, hv, dv, dk),
// float32. A head of queries and keys serves hv/hk heads of values.
//
// Queries and keys are divided by their root mean square and scaled by 1/dk and 1/sqrt(dk). A token's state decays by
// exp(-aExp*softplus(alpha + dtBias)), and moves along the key by sigmoid(beta) of what the state lacks of the value.
//
// mask is nil or (batch, t), bool: tokens where it is false leave the state as it is and give zeros. With captureAll,
// interior has the state after each token but the last. y is (batch, t, hv, dv) of packed's type.
func GatedDelta(packed, ba, dtBias, aExp, state, mask *Array, captureAll bool) (y, nextState *Array, interior []*Array) {
	if packed.NumDims() != 3 || state.NumDims() != 4 {
		panic(&Error{sprintf("GatedDelta: packed has %d axes and state has %d; give 3 and 4", packed.NumDims(), state.NumDims())})
	}
	batch, t, hv, dv, dk := packed.Dim(0), packed.Dim(1), state.Dim(1), state.Dim(2), state.Dim(3)
	keys := packed.Dim(2) - hv*dv
	if keys <= 0 || dk == 0 || keys%(2*dk) != 0 || hv%(keys/(2*dk)) != 0 {
		panic(&Error{sprintf("GatedDelta: packed rows of %d hold no whole heads of queries and keys beside %d heads of %d values", packed.Dim(2), hv, dv)})
	}
	keys /= 2
	checkShape("GatedDelta", "state", state, batch, hv, dv, dk)
	checkShape("GatedDelta", "ba", ba, batch, t, 2*hv)
	checkShape("GatedDelta", "dtBias", dtBias, hv)
	checkShape("GatedDelta", "aExp", aExp, hv)
	if mask != nil {
		checkShape("GatedDelta", "mask", mask, batch, t)
		packed, ba = kept(mask, packed, 0), kept(mask, ba, float32(math.Inf(-1)))
	}

	scale := float32(1 / math.Sqrt(float64(dk)))
	part := func(first, width, heads, size int) *Array {
		return Reshape(SliceAxis(packed, 2, first, first+width), batch, t, heads, size)
	}
	q := MulScalar(RMSNormNoWeight(part(0, keys, keys/dk, dk), 1e-6), scale*scale)
	k := MulScalar(RMSNormNoWeight(part(keys, keys, keys/dk, dk), 1e-6), scale)
	v := part(2*keys, hv*dv, hv, dv)
	q, k = ExpandDims(heads(q, 2, hv), 3), ExpandDims(heads(k, 2, hv), 3)
	beta := ExpandDims(Sigmoid(SliceAxis(ba, 2, 0, hv)), -1)
	alpha := SliceAxis(ba, 2, hv, 2*hv)
	decay := AsType(Exp(Negative(Multiply(Softplus(Add(alpha, dtBias)), aExp))), alpha.DType())
	decay = ExpandDims(ExpandDims(decay, -1), -1)

	outputs := make([]*Array, t)
	for i := range t {
		state = Multiply(state, at(decay, i))
		known := Sum(Multiply(state, at(k, i)), -1, false)
		lacks := Multiply(Subtract(at(v, i), known), at(beta, i))
		state = Add(state, Multiply(at(k, i), ExpandDims(lacks, -1)))
		outputs[i] = Sum(Multiply(state, at(q, i)), -1, false)
		if captureAll && i+1 < t {
			interior = append(interior, state)
		}
	}
	return AsType(Stack(outputs, 1), packed.DType()), state, interior
}

// Mamba2Scan is the selective scan of Mamba 2 (Dao and Gu, "Transformers are SSMs", 2024) over t tokens.
//
// hidden is (batch, t, h, d), bState and cState (batch, t, g, s) where g divides h, dt (batch, t, h), state
// (batch, h, d, s); a, d and dtBias are (h). All are float32. With step = softplus(dt + dtBias), a token's state is
// exp(step*a) of the one before plus hidden times step*bState; the output is the state times cState plus d*hidden.
//
// mask is nil or (batch, t), bool: tokens where it is false leave the state as it is and give zeros. With captureAll,
// interior has the state after each token but the last. y is (batch, t, h, d).
func Mamba2Scan(hidden, bState, cState, dt, state, a, d, dtBias, mask *Array, captureAll bool) (y, nextState *Array, interior []*Array) {
	if hidden.NumDims() != 4 || bState.NumDims() != 4 {
		panic(&Error{sprintf("Mamba2Scan: hidden has %d axes and bState has %d; give 4 and 4", hidden.NumDims(), bState.NumDims())})
	}
	batch, t, h, width, groups, s := hidden.Dim(0), hidden.Dim(1), hidden.Dim(2), hidden.Dim(3), bState.Dim(2), bState.Dim(3)
	if groups == 0 || h%groups != 0 {
		panic(&Error{sprintf("Mamba2Scan: %d groups do not divide %d heads", groups, h)})
	}
	checkShape("Mamba2Scan", "bState", bState, batch, t, groups, s)
	checkShape("Mamba2Scan", "cState", cState, batch, t, groups, s)
	checkShape("Mamba2Scan", "dt", dt, batch, t, h)
	checkShape("Mamba2Scan", "state", state, batch, h, width, s)
	checkShape("Mamba2Scan", "a", a, h)
	checkShape("Mamba2Scan", "d", d, h)
	checkShape("Mamba2Scan", "dtBias", dtBias, h)
	if mask != nil {
		checkShape("Mamba2Scan", "mask", mask, batch, t)
		hidden, cState, dt = kept(mask, hidden, 0), kept(mask, cState, 0), kept(mask, dt, float32(math.Inf(-1)))
	}

	step := Softplus(Add(dt, dtBias))
	decay := ExpandDims(ExpandDims(Exp(Multiply(step, a)), -1), -1)
	b := ExpandDims(Multiply(heads(bState, 2, h), ExpandDims(step, -1)), 3)
	c := ExpandDims(heads(cState, 2, h), 3)
	direct := Multiply(hidden, ExpandDims(d, -1))
	hidden = ExpandDims(hidden, -1)

	outputs := make([]*Array, t)
	for i := range t {
		state = Add(Multiply(state, at(decay, i)), Multiply(at(hidden, i), at(b, i)))
		outputs[i] = Sum(Multiply(state, at(c, i)), -1, false)
		if captureAll && i+1 < t {
			interior = append(interior, state)
		}
	}
	return Add(Stack(outputs, 1), direct), state, interior
}
