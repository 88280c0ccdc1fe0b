// What all tests of a run share: one push service, one server, one Firefox. Each test has an app of its own, and each
// site an origin of its own.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { test as base } from '@playwright/test';
import type { Browser } from 'puppeteer-core';

import { App } from './app.ts';
import { CustomerSite, type SiteOptions } from './customer-site.ts';
import { startFirefox } from './firefox.ts';
import { type Database, Hato } from './hato.ts';
import { PushService } from './push-service.ts';
import { FaultProxy } from './fault-proxy.ts';
import { Visit } from './visit.ts';

interface TestFixtures {
  app: App;
  /** Starts a site of the app, or of another one; it ends with the test. */
  open(options?: SiteOptions, app?: App): Promise<CustomerSite>;
  /** Visits a site in Firefox; the page is closed with the test. */
  visit(site: CustomerSite, daysLater?: number): Promise<Visit>;
  /** Makes a folder of these files, by name; it goes with the test. */
  write(files: Record<string, string>): Promise<string>;
  /** A proxy in front of the server that injects faults. */
  faultProxy: FaultProxy;
}

interface WorkerFixtures {
  /** The database of every server. */
  database: Database;
  push: PushService;
  hato: Hato;
  firefox: Browser;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  database: ['sqlite', { option: true, scope: 'worker' }],
  push: [
    async ({}, use) => {
      const push = await PushService.start();
      await use(push);
      await push.stop();
    },
    { scope: 'worker' },
  ],
  hato: [
    async ({ push, database }, use) => {
      const hato = await Hato.start(push, {}, database);
      await use(hato);
      await hato.stop();
    },
    { scope: 'worker' },
  ],
  firefox: [
    async ({ push }, use) => {
      const firefox = await startFirefox(push);
      await use(firefox);
      await firefox.close();
    },
    { scope: 'worker' },
  ],
  app: async ({ hato }, use) => use(await App.create(hato)),
  open: async ({ hato, app }, use) => {
    const sites: CustomerSite[] = [];
    await use(async (options, owner = app) => {
      const site = await CustomerSite.start(hato, owner, options);
      sites.push(site);
      return site;
    });
    await Promise.all(sites.map((site) => site.stop()));
  },
  visit: async ({ firefox }, use) => {
    const visits: Visit[] = [];
    await use(async (site, daysLater) => {
      const visit = await Visit.open(firefox, site, daysLater);
      visits.push(visit);
      return visit;
    });
    for (const visit of visits) await visit.dispose();
  },
  write: async ({}, use) => {
    const folders: string[] = [];
    await use(async (files) => {
      const folder = await mkdtemp(join(tmpdir(), 'hato-site-'));
      folders.push(folder);
      for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
      return folder;
    });
    for (const folder of folders) await rm(folder, { recursive: true });
  },
  faultProxy: async ({ hato }, use) => {
    const faultProxy = await FaultProxy.start(hato);
    await use(faultProxy);
    await faultProxy.stop();
  },
});

export { expect } from '@playwright/test';
