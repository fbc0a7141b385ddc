// SPDX-License-Identifier: Apache-2.0
import type { Connection } from '../../dbus/connection.ts';
import { serviceOwner } from '../../dbus/service-owner.ts';
import { variant } from '../../dbus/values.ts';
import { type Announced, type Notice, noticeOf, noticeOfMany } from './notice.ts';

const NAME = 'org.freedesktop.Notifications';
const SERVER = { path: '/org/freedesktop/Notifications', interface: NAME };
const DESKTOP_ENTRY = 'org.portal.Broker1';
const CATEGORY = 'x-portal.decision';
/** As long as the notification service keeps such a thing; what is over is closed all the same. */
const USUAL_EXPIRY = -1;
/** Desktop Notifications Specification: no notification has this number. */
const NO_NOTIFICATION = 0;
/** With more open questions there is one notification that counts them. */
const MOST_SINGLE = 3;
const MANY = 'many';

interface Options {
  /** The session bus. */
  readonly bus: Pick<Connection, 'call'>;
  /** Shown as where the notification comes from. */
  readonly appName: string;
  /** How long the notification service may take for one call, in milliseconds. */
  readonly timeoutMs: number;
}

interface Shown {
  /** What the notification service calls it. */
  readonly number: number;
  /** What it said, so that nothing is said twice. */
  readonly stamp: string;
}

interface Server {
  readonly owner: string;
  readonly markup: boolean;
}

/**
 * Announces by desktop notification that a person is asked, and nothing more: there is no button, no signal is listened
 * to, and whatever fails is left at that, since the list of open questions is the truth. It never throws.
 *
 * What is to be shown follows from what is open; one pass at a time brings the screen there. A change makes one pass,
 * changes during a pass one more, so that neither a flood of questions nor a broken service causes a storm of calls.
 */
export class Announcer {
  readonly #options: Options;
  readonly #open = new Map<string, { readonly question: Announced; readonly stamp: string }>();
  readonly #shown = new Map<string, Shown>();
  #many = false;
  #asked = 0;
  #server: Server | undefined;
  #changed = false;
  #pass: Promise<void> | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Announces it, or announces it again, in the place of what was shown for it before. */
  asked(question: Announced): void {
    this.#asked += 1;
    this.#open.set(question.id, { question, stamp: `question ${this.#asked}` });
    if (this.#open.size > MOST_SINGLE) this.#many = true;
    this.#bringUpToDate();
  }

  over(id: string): void {
    if (!this.#open.delete(id)) return;
    // Not before: three left of four would be announced a second time.
    if (this.#open.size === 0) this.#many = false;
    this.#bringUpToDate();
  }

  /** Resolves when what was said so far is on the screen, or cannot be. */
  async settled(): Promise<void> {
    await this.#pass;
  }

  #bringUpToDate(): void {
    this.#changed = true;
    this.#pass ??= this.#passes();
  }

  async #passes(): Promise<void> {
    while (this.#changed) {
      this.#changed = false;
      // Without a notification service, or with a broken one, nothing is announced until there is something new to say.
      await this.#onePass().catch(() => undefined);
    }
    this.#pass = undefined;
  }

  async #onePass(): Promise<void> {
    const wanted = this.#wanted();
    if (wanted.size === 0 && this.#shown.size === 0) return;
    const server = await this.#findServer();
    for (const [key, { number }] of [...this.#shown]) {
      if (wanted.has(key)) continue;
      this.#shown.delete(key);
      await this.#call(server, 'CloseNotification', 'u', [number]).catch(() => undefined);
    }
    for (const [key, notice] of wanted) {
      const before = this.#shown.get(key);
      if (before?.stamp === notice.stamp) continue;
      const number = await this.#notify(server, notice, before?.number ?? NO_NOTIFICATION);
      this.#shown.set(key, { number, stamp: notice.stamp });
    }
  }

  #wanted(): ReadonlyMap<string, Notice & { readonly stamp: string }> {
    const open = [...this.#open.values()];
    if (!this.#many) {
      const single = open.map(({ question, stamp }) => ({ ...noticeOf(question), stamp, key: question.id }));
      return new Map(single.map((notice) => [notice.key, notice]));
    }
    const notice = noticeOfMany(open.map(({ question }) => question));
    return new Map([[MANY, { ...notice, stamp: `${notice.summary} ${notice.urgency}` }]]);
  }

  /** A service that was started anew has forgotten the numbers, and gives them to other programs' notifications. */
  async #findServer(): Promise<Server> {
    const { bus, timeoutMs } = this.#options;
    const owner = await serviceOwner(bus, NAME, { timeoutMs });
    if (this.#server?.owner === owner) return this.#server;
    this.#shown.clear();
    const [capabilities] = await this.#call({ owner }, 'GetCapabilities', '', []);
    this.#server = {
      owner,
      markup: Array.isArray(capabilities) && capabilities.includes('body-markup'),
    };
    return this.#server;
  }

  async #notify({ owner, markup }: Server, notice: Notice, replaces: number): Promise<number> {
    const { appName } = this.#options;
    const hints = {
      urgency: variant('y', notice.urgency),
      category: variant('s', CATEGORY),
      'desktop-entry': variant('s', DESKTOP_ENTRY),
    };
    const body = markup ? escaped(notice.body) : notice.body;
    const words = [appName, replaces, '', notice.summary, body, [], hints, USUAL_EXPIRY];
    const [number] = await this.#call({ owner }, 'Notify', 'susssasa{sv}i', words);
    return typeof number === 'number' ? number : NO_NOTIFICATION;
  }

  #call(
    { owner: destination }: Pick<Server, 'owner'>,
    member: string,
    signature: string,
    body: readonly unknown[],
  ): Promise<readonly unknown[]> {
    const { bus, timeoutMs } = this.#options;
    return bus.call({ destination, ...SERVER, member, signature, body, timeoutMs });
  }
}

/** Desktop Notifications Specification, "Markup": the body is XML there. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
