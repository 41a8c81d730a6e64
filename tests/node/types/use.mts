// What a user writes, with the types it should have.
import { Context, DType, Metadata, TenspanError, Tensor, asarray, cast, copy, dequantize, dot, dtypes, fromBuffer, full, fromBytes, fromPointer, open, quantize, quantizeFile, save, zeros } from 'tenspan';
import * as tenspan from 'tenspan';
import type { Address, Complex, DTypeLike, Foreign, DTypeName, DataOf, ErrorKind, TensorLike, TensorReport } from 'tenspan';

/** Compiles only when both types are the same. */
function same<A>() {
  return <B,>(_value: B & ([A] extends [B] ? ([B] extends [A] ? unknown : never) : never)) => {};
}

const plain = zeros([2, 3]);
same<Tensor<'float32'>>()(plain);
same<Float32Array>()(plain.data);
same<Int32Array>()(zeros([2], { dtype: 'int32' }).data);
same<BigInt64Array>()(zeros([2], { dtype: 'int64' }).data);
same<Uint16Array>()(zeros([2], { dtype: 'bfloat16' }).data);
same<Uint8Array>()(zeros([256], { dtype: 'q4_k' }).data);
same<Float32Array>()(plain.reshape([3, 2]).rows(0, 1).data);
same<Tensor<'q8_0'>>()(quantize(new Float32Array(32), 'q8_0'));
same<Tensor<'float32'>>()(dequantize(plain));
same<Tensor<'float16'>>()(cast(plain, 'float16'));
same<Tensor>()(zeros([2], { dtype: new DType('f32') }));

declare const chosen: DTypeName;
same<Tensor>()(zeros([2], { dtype: chosen }) as Tensor);
const anything: Tensor = plain;
same<DataOf<DTypeName>>()(anything.data);
declare const bag: { dtype?: DTypeName };
zeros([2], bag);

const inputs: TensorLike[] = [plain, new Float32Array(2), [1, [2, 3]], 4, new DataView(new ArrayBuffer(4))];
const like: DTypeLike[] = ['f32', 'float32', plain.dtype];
same<Address>()(plain.dataPtr);
same<string | null>()(plain.name);
same<DType[]>()(dtypes());
for (const row of plain) same<Tensor<'float32'>>()(row);

const context = new Context(1 << 20, { noAlloc: true });
context.tensor([2], { dtype: 'int8', name: 'a' }).data.fill(1);
same<Tensor | undefined>()(context.get('a'));
for (const [name, tensor] of context) same<string>()(name), tensor.dispose();

const metadata = new Metadata();
metadata.set('a', 1).set('b', [1n]);
same<boolean>()(metadata.delete('a'));
const file = open('a.gguf');
save('b.gguf', file, { metadata: file.metadata, format: 'gguf' });
save('b.gguf', { w: [1, 2] });
save('b.gguf', new Map([['w', plain]]));
const reports = quantizeFile('a', 'b', 'q4_k', { progress: (done, total) => void (done / total), allowRequantize: true });
same<TensorReport[]>()(reports);
same<number[]>()(reports[0]!.shape);
copy([1, 2], plain, { allowRequantize: true });
fromBytes(new ArrayBuffer(8), [2], { dtype: 'float32' });
asarray(new Float32Array(2), { dtype: 'float64' }).data.BYTES_PER_ELEMENT;

same<Foreign | null>()(plain.owner);
same<Tensor<'q8_0'>>()(fromBuffer(new ArrayBuffer(34), { dtype: 'q8_0', shape: [32], offset: 0 }));
same<Float64Array>()(fromPointer(plain.dataPtr, [2], 'float64', { strides: [8n], owner: plain, readonly: true }).data);
fromPointer(4096, [2], new DType('f32'), { owner: null });
fromBuffer(new SharedArrayBuffer(4));

full([2], { re: 1, im: 2 }, { dtype: 'complex64' });
const number: Complex = dot(asarray([{ re: 0, im: 1 }, 2]), [1, 2]);
same<number>()(number.re), (asarray(2).item() * 2).toFixed();

{
  using held = zeros([1]);
  held.data[0] = 1;
}

try {
  plain.reshape([5]);
} catch (error) {
  if (error instanceof TenspanError) {
    const kind: ErrorKind | (string & {}) = error.kind;
    same<string>()(error.code), kind, inputs, like;
  }
}

const found = tenspan.getGlobalFunc('testing.echo');
same<tenspan.Function | null>()(found);
const called: number = found!(1, 'two', plain, (x: number) => x + 1);
tenspan.registerGlobalFunc('sample', (a: number, b: number) => a + b, { override: true });
same<string[]>()(tenspan.listGlobalFuncNames());
const list = new tenspan.List<number>([1, 2]);
same<number>()(list.at(0));
same<number | undefined>()(list.pop());
same<string[]>()(list.map((x) => `${x}`));
for (const item of list) same<number>()(item);
const dict = new tenspan.Dict<string, number>([['a', 1]]);
same<number | undefined>()(dict.set('b', 2).get('a'));
for (const pair of dict) same<[string, number]>()(pair);
same<number>()(new tenspan.Shape([1, 2n]).length);
const named = new tenspan.Map({ a: 1 });
named.forEach((value, key) => `${key}${value}`);
class MineError extends Error {}
same<typeof MineError>()(tenspan.registerError('MineError', MineError));
same<boolean>()(new tenspan.KeyError('x') instanceof TenspanError && tenspan.equal(called, 1));

class IntPair extends tenspan.Object {
  declare a: number;
  declare readonly b: number;
  constructor(a: number, b: number) {
    super(a, b);
  }
}
same<typeof IntPair>()(tenspan.registerObject('sample.IntPair', IntPair));
same<IntPair>()(IntPair.from({ a: 1, b: 2 }));
same<IntPair>()(new IntPair(1, 2).copy());
same<string>()(new IntPair(1, 2).typeKey);
const Point = tenspan.defineObject('sample.Point', {
  fields: { x: 'float', name: { type: 'string', optional: true, default: null }, pair: IntPair, held: { type: tenspan.List }, rest: tenspan.Tensor },
});
const point = new Point(1, 'a');
same<number>()(point.x), same<string | null>()(point.name), same<number>()(point.pair.a), same<Tensor>()(point.rest);
same<tenspan.List>()(point.held), (point.x = 2), point.equals(1);
const Third = tenspan.defineObject('sample.Third', { parent: Point, fields: { z: { type: 'int', readonly: true, doc: 'Up.' } }, equality: 'identity' });
same<number>()(new Third().x + new Third().z);
class Own extends tenspan.Object {
  declare n: number;
}
same<typeof Own>()(tenspan.defineObject('sample.Own', { class: Own, fields: { n: { type: 'array', items: { type: 'int', optional: true } } } }));
