// Tells what quantizing has done to a model: weights.mjs <original> <quantized>, one JSON object per tensor.

// [use]
import { dequantize, open, quantizationError } from 'tenspan';

function compare(original, quantized) {
  const before = open(original);
  const after = open(quantized);
  for (const [name, tensor] of after) {
    const { rmse } = quantizationError(before.get(name), tensor);
    const floats = dequantize(tensor).data; // a Float32Array, not a copy
    report(name, tensor, rmse, crc32(floats));
  }
}
// [/use]

function report(name, tensor, rmse, checksum) {
  const { dtype, shape, nbytes } = tensor;
  console.log(JSON.stringify({ name, dtype: dtype.name, shape, nbytes, rmse, checksum }));
}

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit += 1) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
  return byte;
});

/** The CRC-32 of zip files. */
function crc32(array) {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  let crc = -1;
  for (let i = 0; i < bytes.length; i += 1) crc = table[(crc ^ bytes[i]) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

if (process.argv.length !== 4) {
  console.error('usage: weights.mjs <original> <quantized>');
  process.exit(2);
}
compare(process.argv[2], process.argv[3]);
