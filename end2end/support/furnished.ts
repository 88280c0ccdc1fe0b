// A server of its own with one of everything on it, which ends with the test.

import { Hato } from './hato.ts';
import { Loft } from './loft.ts';
import { test as base } from './stage.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

interface Furnished {
  receiver: WebhookReceiver;
  house: Hato;
  loft: Loft;
}

/** What is to be retried is not within a test, and GitHub's button is there. */
const settings = { HATO_RETRY_DELAYS: '1h,1h,1h', HATO_GITHUB_CLIENT_ID: 'hato', HATO_GITHUB_CLIENT_SECRET: 'unused' };

export const test = base.extend<Furnished>({
  receiver: async ({ push }, use) => {
    const receiver = await WebhookReceiver.start(push);
    await use(receiver);
    await receiver.stop();
  },
  house: async ({ push }, use) => {
    const house = await Hato.start(push, settings);
    await use(house);
    await house.stop();
  },
  loft: async ({ house, push, receiver }, use) => use(await Loft.furnish(house, push, receiver)),
});

export { expect } from '@playwright/test';
