// Tests with a server of their own, on which the dashboard has pages in every state; it ends with the test.

import { Hato } from './hato.ts';
import { DashboardStates } from './dashboard-states.ts';
import { test as base } from './fixtures.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

interface DashboardFixtures {
  receiver: WebhookReceiver;
  ownHato: Hato;
  states: DashboardStates;
}

/** Retries wait so long that none happens within a test, and the settings for GitHub make the login page show its button. */
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
