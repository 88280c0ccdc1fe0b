// A server of its own with one of everything on it, which ends with the test.

import { Hato } from './hato.ts';
import { DashboardStates } from './dashboard-states.ts';
import { test as base } from './fixtures.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

interface DashboardFixtures {
  receiver: WebhookReceiver;
  ownHato: Hato;
  states: DashboardStates;
}

/** What is to be retried is not within a test, and GitHub's button is there. */
const settings = { HATO_RETRY_DELAYS: '1h,1h,1h', HATO_GITHUB_CLIENT_ID: 'hato', HATO_GITHUB_CLIENT_SECRET: 'unused' };

export const test = base.extend<DashboardFixtures>({
  receiver: async ({ push }, use) => {
    const receiver = await WebhookReceiver.start(push);
    await use(receiver);
    await receiver.stop();
  },
  ownHato: async ({ push }, use) => {
    const ownHato = await Hato.start(push, settings);
    await use(ownHato);
    await ownHato.stop();
  },
  states: async ({ ownHato, push, receiver }, use) => use(await DashboardStates.create(ownHato, push, receiver)),
});

export { expect } from '@playwright/test';
