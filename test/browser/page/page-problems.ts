import type { Page } from 'playwright-core'

/**
 * All that a page does which a page of ours never should: errors and warnings of its console (breaches of the content policy among
 * them), failed and refused requests, requests to anyone but our server, dialogs, windows and files that nobody asked for.
 */
export class Problems {
  private readonly found: string[] = []
  private readonly allowed: RegExp[] = []
  /** Every address that was asked for, in order. */
  readonly requests: string[] = []
  private readonly origin: string

  constructor(origin: string) {
    this.origin = origin
  }

  watch(page: Page): void {
    page.on('console', (message) => {
      const type = message.type()
      if (type === 'error' || type === 'warning')
        this.add(`console ${type}: ${message.text()} ${message.location().url}`)
    })
    page.on('pageerror', (error) => this.add(`uncaught: ${error.stack || error.message || error.name}`))
    page.on('crash', () => this.add('the page crashed'))
    page.on('request', (request) => {
      this.requests.push(request.url())
      if (!this.isOurs(request.url())) this.add(`asks others: ${request.method()} ${request.url().slice(0, 200)}`)
    })
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText
      // Leaving a page, or asking anew, breaks off what is under way.
      if (reason !== 'net::ERR_ABORTED') this.add(`failed: ${request.method()} ${request.url()} ${reason}`)
    })
    page.on('response', (response) => {
      const status = response.status()
      if (status >= 400) this.add(`refused: ${response.request().method()} ${response.url()} ${status}`)
    })
    page.on('dialog', (dialog) => {
      this.add(`dialog: ${dialog.type()} ${dialog.message()}`)
      void dialog.dismiss().catch(() => {})
    })
    page.on('popup', (popup) => this.add(`opened a window: ${popup.url()}`))
    page.on('download', (download) => this.add(`gave a file: ${download.suggestedFilename()}`))
  }

  /** Lets a test cause what it then looks at: problems that `pattern` fits are none, those before this call too. */
  allow(...patterns: RegExp[]): void {
    this.allowed.push(...patterns)
  }

  /** The same for what was found up to now, and no longer. */
  forgive(...patterns: RegExp[]): void {
    const left = this.found.filter((problem) => !patterns.some((pattern) => pattern.test(problem)))
    this.found.splice(0, this.found.length, ...left)
  }

  add(problem: string): void {
    this.found.push(problem)
  }

  list(): string[] {
    return this.found.filter((problem) => !this.allowed.some((pattern) => pattern.test(problem)))
  }

  /** @throws Error  with all of them, when there are any */
  check(): void {
    const left = this.list()
    if (left.length > 0)
      throw new Error(`the page did what it should not:\n${left.map((line) => `  - ${line}`).join('\n')}`)
  }

  private isOurs(url: string): boolean {
    if (url.startsWith('data:') || url.startsWith('blob:') || url === 'about:blank') return true
    return URL.canParse(url) && new URL(url).origin === this.origin
  }
}
