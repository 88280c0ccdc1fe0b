// What the console of a page says, in a browser that Puppeteer drives.

import type { Page } from 'puppeteer-core';

/** The errors and warnings of the page from now on: the array grows as they come. */
export function collectConsoleErrors(page: Page): string[] {
  const consoleErrors: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warn'].includes(message.type())) consoleErrors.push(message.text());
  });
  page.on('pageerror', (error) => consoleErrors.push(String(error)));
  return consoleErrors;
}
