// SPDX-License-Identifier: Apache-2.0

export const A11Y_BUS = 'org.a11y.Bus';
export const A11Y_BUS_PATH = '/org/a11y/bus';
export const REGISTRY = 'org.a11y.atspi.Registry';
export const REGISTRY_PATH = '/org/a11y/atspi/registry';
/** The registry's own object, whose children are the apps. */
export const DESKTOP_PATH = '/org/a11y/atspi/accessible/root';
export const CACHE_PATH = '/org/a11y/atspi/cache';
/** Stands for no element. */
export const NULL_PATH = '/org/a11y/atspi/null';

export const EVENT_OBJECT = 'org.a11y.atspi.Event.Object';
export const EVENT_WINDOW = 'org.a11y.atspi.Event.Window';

/** A method as the protocol declares it: at-spi2-core 2.46, xml/. */
export interface Method {
  readonly interface: string;
  readonly member: string;
  /** Signatures of the arguments and of the results. */
  readonly in: string;
  readonly out: string;
}

export interface Property {
  readonly interface: string;
  readonly name: string;
  readonly type: string;
}

const ACCESSIBLE = 'org.a11y.atspi.Accessible';
const ACTION = 'org.a11y.atspi.Action';

const method = (name: string, member: string, arguments_: string, results: string): Method => ({
  interface: name,
  member,
  in: arguments_,
  out: results,
});

/** The methods that reading takes. GetChildAtIndex is not among them: an index out of range ends a GTK 4.8 app. */
export const METHOD = {
  getAddress: method(A11Y_BUS, 'GetAddress', '', 's'),
  registerEvent: method(REGISTRY, 'RegisterEvent', 's', ''),
  getItems: method('org.a11y.atspi.Cache', 'GetItems', '', 'a((so)(so)(so)iiassusau)'),
  getChildren: method(ACCESSIBLE, 'GetChildren', '', 'a(so)'),
  getState: method(ACCESSIBLE, 'GetState', '', 'au'),
  getRole: method(ACCESSIBLE, 'GetRole', '', 'u'),
  getInterfaces: method(ACCESSIBLE, 'GetInterfaces', '', 'as'),
  getActionName: method(ACTION, 'GetName', 'i', 's'),
} as const satisfies Record<string, Method>;

export const PROPERTY = {
  name: { interface: ACCESSIBLE, name: 'Name', type: 's' },
  description: { interface: ACCESSIBLE, name: 'Description', type: 's' },
  childCount: { interface: ACCESSIBLE, name: 'ChildCount', type: 'i' },
  actionCount: { interface: ACTION, name: 'NActions', type: 'i' },
} as const satisfies Record<string, Property>;

/** What the apps are asked to tell about. An app serves its list of all elements once somebody has asked for any event. */
export const EVENTS = [
  'object:children-changed',
  'object:state-changed',
  'object:property-change:accessible-name',
  'object:property-change:accessible-description',
  'window:create',
  'window:destroy',
  'window:activate',
  'window:deactivate',
] as const;
