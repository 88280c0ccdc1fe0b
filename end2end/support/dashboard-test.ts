// Tests with a server of their own, on which the dashboard has pages in every state; it ends with the test.

import { Github } from './github.ts';
import { Hato } from './hato.ts';
import { DashboardStates } from './dashboard-states.ts';
import { test as base } from './fixtures.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

interface DashboardFixtures {
  receiver: WebhookReceiver;
  github: Github;
  ownHato: Hato;
  states: DashboardStates;
}

/** Retries wait so long that none happens within a test. */
const settings = { HATO_RETRY_DELAYS: '1h,1h,1h' };

export const test = base.extend<DashboardFixtures>({
  receiver: async ({ push }, use) => {
    const receiver = await WebhookReceiver.start(push);
    await use(receiver);
    await receiver.stop();
  },
  github: async ({}, use) => {
    const github = await Github.start();
    await use(github);
    await github.stop();
  },
  ownHato: async ({ push, github, database }, use) => {
    const ownHato = await Hato.start(push, { ...settings, ...github.settings }, database);
    await use(ownHato);
    await ownHato.stop();
  },
  states: async ({ ownHato, push, receiver, github }, use) =>
    use(await DashboardStates.create(ownHato, push, receiver, github)),
});

export { expect } from '@playwright/test';
