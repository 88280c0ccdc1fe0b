// An app with keys, for tests of subscribers: it sends and is asked about by its `full` key, as an owner's server does.

import { createHmac } from 'node:crypto';

import { expect } from '@playwright/test';

import type { Hato } from './hato.ts';

export interface Notification {
  title: string;
  body: string;
  url?: string;
  icon?: string;
  actions?: { action: string; title: string; url?: string }[];
}

/** What the server knows of the visitor behind an endpoint. */
export interface Visitor {
  user_id: string | null;
  tags: string[];
  lang: string | null;
  time_zone: string | null;
}

export class App {
  private constructor(
    private readonly hato: Hato,
    readonly id: string,
    readonly subscribeKey: string,
    private readonly fullKey: string,
  ) {}

  static async create(hato: Hato): Promise<App> {
    const owner = await hato.ownerSession();
    const app = await hato.api('POST', '/api/v1/apps', owner, { name: 'はとパン' });
    expect(app.status).toBe(201);
    const id = app.json.appId;
    const key = async (scope: string) => {
      const made = await hato.api('POST', `/api/v1/apps/${id}/keys`, owner, { name: scope, scope });
      expect(made.status).toBe(201);
      return made.json.key as string;
    };
    return new App(hato, id, await key('subscribe_only'), await key('full'));
  }

  /** Sends to everybody; resolves with the send's record once every recipient is accounted for. */
  async send(notification: Notification): Promise<any> {
    const sent = await this.hato.api('POST', '/api/v1/notify', this.fullKey, notification);
    expect(sent.status).toBe(202);
    return this.waitUntilDone(sent.json.send_id);
  }

  /** The send's record as it is now. */
  async record(sendId: string): Promise<any> {
    return (await this.hato.api('GET', this.path(`/notifications/${sendId}`), this.fullKey)).json;
  }

  /** Changes settings of the app. */
  async update(settings: object): Promise<void> {
    const answer = await this.hato.api('PATCH', this.path(''), this.fullKey, settings);
    expect(answer.status, JSON.stringify(answer.json)).toBe(200);
  }

  private async waitUntilDone(sendId: string): Promise<any> {
    let record: any;
    const look = async () => {
      const answer = await this.hato.api('GET', this.path('/notifications'), this.fullKey);
      record = answer.json.items.find((item: any) => item.send_id === sendId);
      return record.status;
    };
    await expect.poll(look, { intervals: [50] }).toBe('done');
    return record;
  }

  /** The number of active subscriptions. */
  async subscribers(): Promise<number> {
    const answer = await this.hato.api('GET', this.path(''), this.fullKey);
    return answer.json.active_subscriptions;
  }

  /** The number of deactivated subscriptions. */
  async deactivated(): Promise<number> {
    const answer = await this.hato.api('GET', this.path('/stats'), this.fullKey);
    return answer.json.deactivatedSubscribers;
  }

  /** Deletes the key that the pages have: from now on the server refuses them. */
  async deleteSubscribeKey(): Promise<void> {
    const keys = await this.hato.api('GET', this.path('/keys'), this.fullKey);
    const { id } = keys.json.find((key: any) => key.scope === 'subscribe_only');
    const deleted = await this.hato.api('DELETE', this.path(`/keys/${id}`), this.fullKey);
    expect(deleted.status).toBe(200);
  }

  /** Gives the app another VAPID key as its primary one; resolves with the id of the one before. */
  async replacePrimaryKey(): Promise<string> {
    const keys = await this.hato.api('GET', this.path('/vapid-keys'), this.fullKey);
    const before = keys.json.find((key: any) => key.primary);
    const made = await this.hato.api('POST', this.path('/vapid-keys'), this.fullKey, {});
    expect(made.status).toBe(201);
    const done = await this.hato.api('POST', this.path(`/vapid-keys/${made.json.id}/primary`), this.fullKey);
    expect(done.status).toBe(200);
    return before.id;
  }

  /** Gives the app another service's VAPID key, as a JWK; as the primary one if asked. */
  async importVapidKey(privateKey: object, isPrimary: boolean): Promise<void> {
    const path = this.path('/vapid-keys');
    const made = await this.hato.api('POST', path, this.fullKey, { private_key: privateKey });
    expect(made.status).toBe(201);
    if (!isPrimary) return;
    expect((await this.hato.api('POST', `${path}/${made.json.id}/primary`, this.fullKey)).status).toBe(200);
  }

  /** Registers subscriptions that were made elsewhere. */
  async importSubscriptions(items: object[]): Promise<void> {
    const { json } = await this.hato.api('POST', this.path('/subscriptions/bulk'), this.fullKey, { items });
    expect(json).toEqual({ created: items.length, updated: 0, rejected: [] });
  }

  /** Deletes a VAPID key that no active subscription has. */
  async deleteVapidKey(id: string): Promise<void> {
    const deleted = await this.hato.api('DELETE', this.path(`/vapid-keys/${id}`), this.fullKey);
    expect(deleted.status).toBe(200);
  }

  /** What the server knows of the visitor behind an endpoint. */
  async visitor(endpoint: string): Promise<Visitor> {
    const { status, json } = await this.change(endpoint, {});
    expect(status).toBe(200);
    const { user_id, tags, lang, time_zone } = json;
    return { user_id, tags: tags.toSorted(), lang, time_zone };
  }

  /** Changes what the server knows of the visitor behind an endpoint, as the owner does. */
  change(endpoint: string, members: object): Promise<{ status: number; json: any }> {
    return this.hato.api('PATCH', '/api/v1/subscriptions', this.fullKey, { endpoint, ...members });
  }

  /** The token with which a page says that its visitor is this user. */
  async userToken(userId: string): Promise<string> {
    const { json } = await this.hato.api('GET', this.path('/identity'), this.fullKey);
    return createHmac('sha256', json.identity_secret).update(`${this.id}\n${userId}`).digest('hex');
  }

  private path(rest: string): string {
    return `/api/v1/apps/${this.id}${rest}`;
  }
}
