'use strict';
// Functions of tenspan: callable objects over functions of core.

const dynamic = require('./dynamic.cjs');
const { makeError } = require('./error.cjs');
const objects = require('./objects.cjs');

const { TOKEN } = objects;
const { invoke, invoke0, invoke1, invoke2, invoke3 } = dynamic;

const NAME = dynamic.entry('Function.name');

/** Gives a function a private field, by returning it where an object would be made. */
class Stamped {
  constructor(callee) {
    return callee;
  }
}

let handleOf;

class Stamp extends Stamped {
  #handle;

  constructor(callee, handle) {
    super(callee);
    this.#handle = handle;
  }

  static {
    /** The number of the value behind a function; undefined for those of JavaScript. */
    handleOf = (value) => (#handle in value ? value.#handle : undefined);
  }
}

/** Something to call, made by any language. */
class Function extends globalThis.Function {
  constructor(token, handle) {
    if (token !== TOKEN) {
      throw makeError('TypeError', 'Function has no constructor: `convert` makes one of a function of JavaScript', {
        below: Function,
      });
    }
    return callable(handle);
  }

  /** What the function is called in messages; empty when it does not say. */
  get name() {
    return (handleOf(this) === undefined ? undefined : dynamic.call(NAME, [this])) ?? '';
  }
}

/** The function of JavaScript that calls the value behind a number. */
function callable(handle) {
  // A method, since these make no objects.
  const { callee } = {
    callee(a, b, c) {
      switch (arguments.length) {
        case 0:
          return invoke0(handle);
        case 1:
          return invoke1(handle, callee, a);
        case 2:
          return invoke2(handle, callee, a, b);
        case 3:
          return invoke3(handle, callee, a, b, c);
        default:
          return invoke(callee, arguments);
      }
    },
  };
  new Stamp(callee, handle);
  Object.setPrototypeOf(callee, Function.prototype);
  // That of the class says it, when it is asked for.
  delete callee.name;
  delete callee.length;
  return callee;
}

dynamic.setHandleOfFunction(handleOf);
objects.register(Function, 'tenspan.Function', []);

module.exports = { Function, handleOf };
