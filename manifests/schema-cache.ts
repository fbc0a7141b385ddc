// SPDX-License-Identifier: Apache-2.0
// The one file that loads the JSON Schema compiler and the pattern engine, which take longer than all the rest of the
// folder: import it once the process is ready to answer.
import { Ajv, type ValidateFunction } from 'ajv';
import { RE2JS } from 're2js';
import { quote } from '../keys/error.ts';
import type { Capability, JsonSchema } from './capability.ts';
import { ManifestError } from './error.ts';
import { FORMATS } from './format.ts';
import type { EventDeclaration } from './manifest.ts';
import { below, pointerTokens } from './pointer.ts';
import { isObject } from './schema-keywords.ts';
import { allPropertyNames, parameterNames } from './schema-names.ts';

/** Where a value breaks its schema. Neither holds anything of the value, so both may be logged. */
export interface SchemaFault {
  /** JSON pointer into the value; `*` stands for a name that the schema does not know. */
  readonly pointer: string;
  /** The violated keyword, or `limit` when the value cannot be checked within bounds. */
  readonly keyword: string;
}

/** Undefined when the value is valid. Never changes the value: no defaults, no coercion. */
export type Validator = (value: unknown) => SchemaFault | undefined;

export interface SchemaCacheLimits {
  /** Compilations until the compiler, which never frees what it made, is replaced together with its results. */
  readonly maxCompiled: number;
  /** Instructions of all patterns in one schema. */
  readonly maxPatternSize: number;
  /** Instructions times characters over all patterns in one validation. */
  readonly maxPatternSteps: number;
}

/** The compiled validators, by content. Each schema is compiled when it is first needed. */
export class SchemaCache {
  readonly #limits: SchemaCacheLimits;
  readonly #validators = new Map<string, Validator | ManifestError>();
  #ajv: Ajv;
  #sizeLeft = 0;
  #stepsLeft = 0;

  constructor(limits: SchemaCacheLimits) {
    this.#limits = limits;
    this.#ajv = this.#makeCompiler();
  }

  /**
   * Throws ParameterSchemaRefused when the schema cannot be compiled: such a capability cannot be called at all, since
   * nothing runs without validation.
   */
  validatorFor(capability: Capability, which: 'parameters' | 'returns'): Validator {
    return this.#validator(capability.digest, `/${which}`, () =>
      which === 'returns' ? this.#compile(capability.returns) : this.#compileClosed(capability.parameters),
    );
  }

  /** The validator of an event's payload; one without a schema takes any. Throws ParameterSchemaRefused. */
  validatorForEvent(event: EventDeclaration): Validator {
    return this.#validator(event.digest, '/payload_schema', () => this.#compile(event.payloadSchema ?? {}));
  }

  #validator(digest: string, pointer: string, compile: () => Validator): Validator {
    const key = `${digest} ${pointer}`;
    const known = this.#validators.get(key) ?? this.#add(key, pointer, compile);
    if (known instanceof ManifestError) throw known;
    return known;
  }

  /** A failure is kept like a result, so that a bad schema costs its compilation once. */
  #add(key: string, pointer: string, compile: () => Validator): Validator | ManifestError {
    if (this.#validators.size >= this.#limits.maxCompiled) {
      this.#validators.clear();
      this.#ajv = this.#makeCompiler();
    }
    let result: Validator | ManifestError;
    try {
      result = compile();
    } catch (cause) {
      const message = `the schema at \`${pointer}\` cannot be compiled, so nothing can be called with it: correct ${quote(String(cause))}`;
      result = new ManifestError('ParameterSchemaRefused', pointer, message, cause);
    }
    this.#validators.set(key, result);
    return result;
  }

  /** Parameters are an object with known names only, whatever their schema says. */
  #compileClosed(schema: JsonSchema): Validator {
    const names = parameterNames(schema);
    const validate = this.#compile(schema);
    return (value) => {
      if (!isObject(value)) return { pointer: '', keyword: 'type' };
      if (Object.keys(value).some((name) => !names.has(name)))
        return { pointer: '', keyword: 'additionalProperties' };
      return validate(value);
    };
  }

  #compile(schema: JsonSchema): Validator {
    const { $schema: _, ...bare } = schema;
    this.#sizeLeft = this.#limits.maxPatternSize;
    const validate = this.#ajv.compile(bare);
    const names = allPropertyNames(schema);
    return (value) => {
      this.#stepsLeft = this.#limits.maxPatternSteps;
      try {
        return validate(value) === true ? undefined : fault(validate, value, names);
      } catch {
        // Over the pattern budget, or the value is nested beyond the stack: either way it has not been found valid.
        return { pointer: '', keyword: 'limit' };
      }
    };
  }

  #makeCompiler(): Ajv {
    return new Ajv({
      // The dialect is checked before; the compiler's own checks of a schema would only repeat it, and load draft-07 for it.
      meta: false,
      validateSchema: false,
      strictTypes: false,
      strictTuples: false,
      addUsedSchema: false,
      inlineRefs: false,
      ownProperties: true,
      messages: false,
      logger: false,
      formats: Object.fromEntries(
        [...FORMATS].map(([name, validate]) => [name, { type: 'string', validate }]),
      ),
      // Optimising the generated code takes five times as long as making it, and saves nothing that can be seen.
      code: {
        optimize: false,
        regExp: Object.assign((pattern: string) => this.#pattern(pattern), { code: '' }),
      },
    });
  }

  /** A linear-time matcher that pays for each test out of the validation's budget. */
  #pattern(text: string): { test(value: string): boolean; toString(): string } {
    const pattern = RE2JS.compile(RE2JS.translateRegExp(text));
    const size = pattern.programSize();
    this.#sizeLeft -= size;
    if (this.#sizeLeft < 0) throw new RangeError('the patterns are too large: make their repeats smaller');
    return {
      test: (value) => {
        this.#stepsLeft -= size * (value.length + 1);
        if (this.#stepsLeft < 0) throw new RangeError('the patterns take too many steps on this value');
        return pattern.matcher(value).find();
      },
      // The compiler takes two patterns with one text for the same.
      toString: () => text,
    };
  }
}

/** The last error is the one that decided: those before it are of the branches it rejected. */
function fault(validate: ValidateFunction, value: unknown, names: ReadonlySet<string>): SchemaFault {
  const error = validate.errors?.at(-1);
  /* c8 ignore next -- the compiler leaves an error whenever it says no; without one the value is still refused */
  if (!error) return { pointer: '', keyword: 'limit' };
  const pointer = withoutForeignNames(error.instancePath, value, names);
  // The missing name stands in the schema's own list.
  if (error.keyword === 'required')
    return { pointer: below(pointer, error.params.missingProperty), keyword: 'required' };
  return { pointer, keyword: error.keyword };
}

/** An unknown name can be a secret that went to the wrong place, so only the schema's names and indexes are shown. */
function withoutForeignNames(pointer: string, value: unknown, names: ReadonlySet<string>): string {
  let shown = '';
  let place = value;
  for (const token of pointerTokens(pointer) ?? []) {
    shown = below(shown, Array.isArray(place) || names.has(token) ? token : '*');
    place = Reflect.get(Object(place), token);
  }
  return shown;
}
