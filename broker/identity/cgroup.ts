// SPDX-License-Identifier: Apache-2.0

export interface Units {
  readonly systemUnit: string | undefined;
  readonly appUnit: string | undefined;
}

const NO_UNITS: Units = { systemUnit: undefined, appUnit: undefined };

/**
 * The systemd units in the text of /proc/PID/cgroup. Below `user@UID.service` the user's own manager names the units:
 * there only an application id is read, from the first unit, since whatever is below that one the application itself
 * could have made. Elsewhere the first unit is a system service, whose cgroup only root can put a process in. A path
 * from outside our cgroup namespace begins with `..`, which is neither.
 */
export function unitsOf(text: string, uid: number): Units {
  const names = systemdPath(text)
    .split('/')
    .filter((name) => name !== '');
  if (names.length === 0) return NO_UNITS;
  if (names[0] !== 'user.slice') return { systemUnit: serviceIn(names), appUnit: undefined };
  const manager = names.indexOf(`user@${uid}.service`);
  const unit = manager < 0 ? undefined : names.slice(manager + 1).find((name) => !name.endsWith('.slice'));
  return { systemUnit: undefined, appUnit: unit === undefined ? undefined : appIdOfUnit(unit) };
}

/** cgroup v2 has the one line `0::PATH`; with v1 the line `N:name=systemd:PATH` is the manager's. */
function systemdPath(text: string): string {
  const lines = text.split('\n');
  const named = lines.find((line) => /^\d+:name=systemd:/.test(line));
  const line = named ?? lines.find((one) => one.startsWith('0::')) ?? '';
  return line.slice(line.indexOf(':', line.indexOf(':') + 1) + 1);
}

function serviceIn(names: readonly string[]): string | undefined {
  const unit = names.find((name) => !name.endsWith('.slice'));
  return unit?.endsWith('.service') && !unit.startsWith('user@') ? unit : undefined;
}

/**
 * The application id in a unit's name, per systemd's "Desktop Environment Integration": `app[-LAUNCHER]-ID-RANDOM.scope`
 * or `app[-LAUNCHER]-ID[@RANDOM].service`, with `-` inside a part written `\x2d`. A service may also end in `-RANDOM`:
 * of its two parts the one with a dot is then the id.
 */
export function appIdOfUnit(unit: string): string | undefined {
  const scope = /^app-(?:[^-]+-)?([^-]+)-[^-]+\.scope$/.exec(unit);
  if (scope !== null) return unescapeId(scope[1]);
  const instance = /^app-(?:[^-]+-)?([^-@]+)@[^@]*\.service$/.exec(unit);
  if (instance !== null) return unescapeId(instance[1]);
  const [, first, second] = /^app-([^-@]+)(?:-([^-@]+))?\.service$/.exec(unit) ?? [];
  const id = [second, first].find((part) => part?.includes('.'));
  return unescapeId(id ?? (second === undefined ? first : undefined));
}

function unescapeId(escaped: string | undefined): string | undefined {
  const id = escaped?.replaceAll(/\\x([0-9a-f]{2})/g, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return id !== undefined && /^[A-Za-z0-9._-]{1,255}$/.test(id) ? id : undefined;
}
