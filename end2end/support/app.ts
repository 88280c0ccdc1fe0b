// An app with keys, for tests of subscribers: it sends and is asked about by its `full` key, as an owner's server does.

import { expect } from '@playwright/test';

import type { Hato } from './hato.ts';

export interface Notification {
  title: string;
  body: string;
  url?: string;
  icon?: string;
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

  private path(rest: string): string {
    return `/api/v1/apps/${this.id}${rest}`;
  }
}
