// SPDX-License-Identifier: Apache-2.0
import type { Interfaces } from './interfaces.ts';
import type { Role } from './roles.ts';
import type { States } from './states.ts';

/** Where an element is: a unique name on the accessibility bus, and an object path. It may be another one's tomorrow. */
export interface Ref {
  readonly bus: string;
  readonly path: string;
}

/** Why something is missing from a tree. */
export type Gap =
  /** The element hands its children out on demand, and may have any number. */
  | 'managed'
  /** More children than are read. */
  | 'children'
  /** Deeper, or more in all, than is read. */
  | 'depth'
  | 'nodes'
  /** The time for one reading was over; the app stopped answering. */
  | 'time'
  | 'silent'
  /** A child is another process's. */
  | 'foreign'
  /** For a child, the app answered with an error, or with something else than the protocol says. */
  | 'refused'
  | 'malformed';

/** What an app says of one element. Names are its own words, cleaned and cut: untrusted text. */
export interface Facts {
  readonly role: Role;
  readonly name: string;
  readonly description: string;
  readonly states: States;
  readonly interfaces: Interfaces;
  /** Undefined where it is not known yet. */
  readonly children: readonly Ref[] | undefined;
  /** Why children are missing, some or all; below a password there is nothing that anybody should read. */
  readonly unread: Gap | 'password' | undefined;
}

/** One element of a tree. It never changes: a tree that changed is another tree. */
export interface Element extends Facts {
  readonly ref: Ref;
  /** Undefined for the app itself. */
  readonly parent: Ref | undefined;
  /** In the app's order; all of them are in the tree. */
  readonly children: readonly Ref[];
}

/** What was read of one app. */
export interface Tree {
  readonly root: Ref;
  /** By object path. Every element is there once, under the first parent that listed it. */
  readonly elements: ReadonlyMap<string, Element>;
  /** Whether everything was read. Where not, that something is missing here says nothing. */
  readonly complete: boolean;
  /** Why something is missing, and below how many elements; empty for a complete tree. */
  readonly gaps: ReadonlyMap<Gap, number>;
  /** Whether the app's own list of its elements was of use. */
  readonly fromCache: boolean;
}
