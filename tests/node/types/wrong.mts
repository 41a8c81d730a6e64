// Each marked line must be refused.
import { Context, Dict, Function as TenFunction, List, Tensor, copy, defineObject, fromBuffer, fromPointer, open, quantizeFile, registerError, registerObject, zeros } from 'tenspan';

const wrong: Int32Array = zeros([2]).data; // wrong
zeros([2], { dtyp: 'float32' }); // wrong
zeros('2'); // wrong
zeros([2], 'float32'); // wrong
new Tensor(); // wrong
const narrow: Tensor<'int8'> = zeros([2], { dtype: 'int32' }); // wrong
zeros([2]).shape = [3]; // wrong
copy([1], zeros([1]), { allowrequantize: true }); // wrong
const address: number = zeros([2]).dataPtr; // wrong
open('a').set('b', zeros([1])); // wrong
quantizeFile('a', 'b', 'q8_0', { progress: (done: string) => done }); // wrong
new Context('1'); // wrong
fromBuffer('bytes'); // wrong
fromPointer('0x1000', [1], 'float32'); // wrong
fromPointer(4096, [1]); // wrong
new TenFunction(); // wrong
new List<number>(['x']); // wrong
new List(5); // wrong
new Dict<string, number>().set('a', 'b'); // wrong
registerError('x', class {}); // wrong
registerObject('x', class {}); // wrong
defineObject('x', { fields: { a: 'integer' } }); // wrong
defineObject('x', { equality: 'none' }); // wrong
new (defineObject('x', { fields: { a: 'int' } }))().b; // wrong
new (defineObject('x', { fields: { a: { type: 'int', readonly: true } } }))().a = 1; // wrong
export { wrong, narrow, address };
