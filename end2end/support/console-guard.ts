// Pages of the dashboard whose console must stay empty, in a browser that Playwright drives.

import type { Browser, BrowserContextOptions, Page } from '@playwright/test';

export interface GuardedPage {
  page: Page;
  /**
   * The errors and warnings of the page's console. Chromium also logs each answer of 4xx; for a document and for a form's answer
   * that is no fault, since what refuses something has such a status.
   */
  consoleErrors: string[];
}

export async function openGuarded(browser: Browser, options: BrowserContextOptions): Promise<GuardedPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const consoleErrors: string[] = [];
  const documents = new Set<string>();
  const posted = new Set<string>();
  page.on('request', (request) => {
    if (request.isNavigationRequest()) documents.add(request.url());
    const isUpload = request.method() === 'POST' && request.resourceType() === 'xhr';
    if (request.headers()['x-hato-form'] || isUpload) posted.add(request.url());
  });
  page.on('console', (message) => {
    const { url } = message.location();
    const isAsked = documents.has(url) || posted.has(url);
    const isRefusal = message.text().includes('the server responded with a status of 4') && isAsked;
    if (!['error', 'warning'].includes(message.type()) || isRefusal) return;
    consoleErrors.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => consoleErrors.push(`${page.url()}: ${error}`));
  return { page, consoleErrors };
}

/** Opens a page that has the session's cookie for the server at `hato`. */
export async function openLoggedIn(
  browser: Browser,
  hato: string,
  session: string,
  options: BrowserContextOptions,
): Promise<GuardedPage> {
  const guarded = await openGuarded(browser, { baseURL: hato, ...options });
  await guarded.page.context().addCookies([{ name: 'hato_session', value: session, url: hato }]);
  return guarded;
}
