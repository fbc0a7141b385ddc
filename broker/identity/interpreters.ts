// SPDX-License-Identifier: Apache-2.0
import { basename } from 'node:path';

// Programs that do what their arguments or input say: interpreters, loaders, proxies that speak for others, and the
// command line tools with which anybody can make any call. Seeing one of them says nothing about who is behind it.
const INTERPRETERS: readonly RegExp[] = [
  /^(ba|da|z|k|mk|tc|c|fi)?sh$/,
  /^(python|perl|ruby|php|lua|luajit|tclsh|wish|guile|node|gjs|gjs-console|java|electron)[\d.]*$/,
  /^(nodejs|bun|deno|Rscript|julia|mono|dotnet|busybox|toybox|[gnm]?awk|env|xargs|emacs|vim?|nvim)[\d.]*$/,
  /^(ld-linux.*|ld-.*\.so.*|qemu-.*|wine(64)?(-preloader)?|gdb|strace)$/,
  /^(bwrap|xdg-dbus-proxy|socat|dbus-send|dbus-monitor|gdbus|busctl|qdbus.*)$/,
];

/** Whether the program at a path does whatever it is told, so that the path names nobody. */
export function isInterpreter(exe: string): boolean {
  const name = basename(exe);
  return INTERPRETERS.some((pattern) => pattern.test(name));
}
