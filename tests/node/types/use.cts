// The same package by `require`.
import tenspan = require('tenspan');

const t: tenspan.Tensor<'float32'> = tenspan.zeros([2, 3]);
t.data.set([1, 2]);
