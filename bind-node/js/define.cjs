'use strict';
// Types of objects that JavaScript defines: compiled modules and every language read their fields where they stand.

const args = require('./arguments.cjs');
const container = require('./container.cjs');
const dynamic = require('./dynamic.cjs');
const { makeError, describe } = require('./error.cjs');
const { Function: TenFunction } = require('./function.cjs');
const { Device } = require('./generated/device.cjs');
const { DType } = require('./generated/dtype.cjs');
const { Tensor } = require('./generated/tensor.cjs');
const { Object: Root, checkClass, registerObject } = require('./object.cjs');
const { WRITABLE, DEFAULT_IS_FACTORY, REPR_OFF, COMPARE_OFF, typeBehind, typeOfClass } = require('./types.cjs');

const DEFINE = dynamic.entry('Object.@define');

/** What the table of types calls the types of fields. */
const TYPES = new Map([
  ['any', 'Any'],
  ['int', 'int'],
  ['float', 'float'],
  ['bool', 'bool'],
  ['string', 'ffi.String'],
  ['bytes', 'ffi.Bytes'],
  ['tensor', 'ffi.Tensor'],
  ['function', 'ffi.Function'],
  ['dtype', 'DataType'],
  ['device', 'Device'],
  ['shape', 'ffi.Shape'],
  ['array', 'ffi.Array'],
  ['list', 'ffi.List'],
  ['map', 'ffi.Map'],
  ['dict', 'ffi.Dict'],
]);

/** The names that stand for classes of this package. */
const CLASSES = new Map([
  [Root, 'any'],
  [Tensor, 'tensor'],
  [TenFunction, 'function'],
  [DType, 'dtype'],
  [Device, 'device'],
  [container.Shape, 'shape'],
  [container.Array, 'array'],
  [container.List, 'list'],
  [container.Map, 'map'],
  [container.Dict, 'dict'],
]);

/** What may be said of a field, and of a definition. */
const FIELD = ['type', 'optional', 'items', 'keys', 'values', 'default', 'readonly', 'shown', 'compared', 'doc'];
const DEFINITION = ['fields', 'class', 'parent', 'equality', 'repr', 'equal', 'compare', 'hash', 'doc'];

/** The functions by which objects are shown and compared, and what every language calls them. */
const HOOKS = { repr: '__ffi_repr__', equal: '__ffi_eq__', compare: '__ffi_compare__', hash: '__ffi_hash__' };

/** Defines a type, and gives the class that stands for it. */
function defineObject(key, definition) {
  if (typeof key !== 'string' || key === '') throw wrong(`the key of a type is a text, found ${describe(key)}`);
  const where = `defineObject('${key}')`;
  const given = args.options(where, definition, DEFINITION);
  const Parent = given.parent === undefined ? Root : checkClass(key, given.parent);
  const Class = checkClass(key, given.class ?? derived(key, Parent));
  if (!(Class.prototype instanceof Parent)) {
    throw wrong(`${where}: the class ${Class.name} is not derived from ${Parent.name}`);
  }
  if (typeOfClass(Class) !== undefined) {
    throw wrong(`${where}: the class ${Class.name} stands for \`${typeOfClass(Class).key}\` already`);
  }
  const equality = given.equality ?? 'fields';
  if (equality !== 'fields' && equality !== 'identity') {
    throw wrong(`${where}: equality is 'fields' or 'identity', found ${describe(equality)}`);
  }
  const fields = [];
  for (const [name, said] of entries(where, given.fields ?? {})) fields.push(field(`${where}: \`${name}\``, name, said));
  const parent = typeBehind(Class.prototype)?.index;
  dynamic.call(DEFINE, [key, parent, given.doc ?? '', equality === 'fields', fields, hooks(where, given)]);
  return registerObject(key, Class);
}

function wrong(message) {
  return makeError('TypeError', message, { below: defineObject });
}

/** Names of fields, and what is said of them. */
function entries(where, fields) {
  if (typeof fields === 'object' && !Array.isArray(fields)) return Object.entries(fields);
  throw wrong(`${where}: fields are an object of names and types, found ${describe(fields)}`);
}

/** Names and functions in turn. */
function hooks(where, given) {
  const found = [];
  for (const [name, hook] of Object.entries(HOOKS)) {
    const work = given[name];
    if (work === undefined) continue;
    if (typeof work !== 'function') throw wrong(`${where}: ${name} is a function, found ${describe(work)}`);
    found.push(hook, work);
  }
  return found;
}

/** A class without members of its own, named by the last part of a key. */
function derived(key, Parent) {
  const name = key.slice(key.lastIndexOf('.') + 1);
  return { [name]: class extends Parent {} }[name];
}

/** A field as native code wants it: name, type, docs, bits, and the default if it has one. */
function field(where, name, said) {
  const given = isType(said) ? { type: said } : args.options(where, said, FIELD);
  const type = typeOfField(where, given);
  const hasDefault = given.default !== undefined;
  // As a function, it makes a default for each object anew.
  const holdsFunction = type === 'ffi.Function' || type === 'Optional[ffi.Function]';
  const isFactory = hasDefault && typeof given.default === 'function' && !holdsFunction;
  const bits =
    (given.readonly ? 0 : WRITABLE) |
    (isFactory ? DEFAULT_IS_FACTORY : 0) |
    (given.shown === false ? REPR_OFF : 0) |
    (given.compared === false ? COMPARE_OFF : 0);
  return [name, type, given.doc ?? '', bits, ...(hasDefault ? [given.default] : [])];
}

function isType(said) {
  return typeof said === 'string' || typeof said === 'function';
}

/** The type of a field, or of what one holds, as the table of types has it. */
function typeOfField(where, said) {
  const { type, optional, items, keys, values } = isType(said) ? { type: said } : args.options(where, said, FIELD);
  const inner = (part) => typeOfField(where, part ?? 'any');
  let made = named(where, type);
  if (made === 'ffi.Array') made = `${made}[${inner(items)}]`;
  else if (made === 'ffi.Map') made = `${made}[${inner(keys)}, ${inner(values)}]`;
  return optional ? `Optional[${made}]` : made;
}

/** A name of the table of types: that of a type of fields, or the key of a class. */
function named(where, type) {
  if (typeof type === 'function') {
    const found = TYPES.get(CLASSES.get(type)) ?? typeBehind(type.prototype ?? null)?.key;
    if (found !== undefined) return found;
    throw wrong(`${where}: the class ${type.name} stands for no type`);
  }
  if (TYPES.has(type)) return TYPES.get(type);
  const names = [...TYPES.keys()];
  const near = typeof type === 'string' ? args.nearest(type, names) : undefined;
  const hint = near === undefined ? `there are ${names.join(', ')}, and classes` : `did you mean \`${near}\`?`;
  throw wrong(`${where}: a type is wanted, found ${describe(type)}; ${hint}`);
}

module.exports = { defineObject };
