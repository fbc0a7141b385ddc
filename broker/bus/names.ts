// SPDX-License-Identifier: Apache-2.0
// The names of the contract in dbus-policy/*.xml.

export const BUS_NAME = 'org.portal.Broker1';
export const ROOT_PATH = '/org/portal/Broker1';
export const BROKER = 'org.portal.Broker1';
export const REQUEST = 'org.portal.Broker1.Request';
export const REGISTRY = 'org.portal.Broker1.Registry';
export const OPERATOR = 'org.portal.Broker1.Operator';
export const PROVIDER = 'org.portal.Broker1.Provider';
export const CONFIRMER = 'org.portal.Broker1.Confirmer';
export const ERROR_PREFIX = 'org.portal.Broker1.Error.';
