import { resolve } from 'node:path'
import type { Page } from 'playwright-core'

const source = resolve(import.meta.dir, '../../../node_modules/axe-core/axe.min.js')

/** What axe finds wrong, as far as a person has to read it. */
interface Violation {
  id: string
  impact: string | null
  help: string
  nodes: { target: unknown[]; html: string; failureSummary?: string }[]
}

export interface AxeOptions {
  /** A selector: only what is in it is looked at. */
  within?: string
  /** Rules that are not asked, each for a reason that stands where it is called. */
  without?: string[]
  /** Nothing but these: of a page that was looked at with all of them, and has other colours now. */
  only?: string[]
}

/**
 * Looks at the page as it stands with axe-core: all rules of WCAG 2.2 A and AA, and its advice on landmarks and headings.
 *
 * The library comes by the debugger's own channel, for which a strict content policy makes no difference.
 *
 * @returns one line for each element that breaks a rule; none is what it should be
 */
export async function axeCheck(page: Page, { within, without = [], only }: AxeOptions = {}): Promise<string[]> {
  if (!(await page.evaluate<boolean>('typeof axe === "object"'))) await page.evaluate(await Bun.file(source).text())
  const options = {
    runOnly: only ?? ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    rules: Object.fromEntries(without.map((id) => [id, { enabled: false }])),
    resultTypes: ['violations'],
  }
  const target = within === undefined ? 'document' : JSON.stringify(within)
  const { violations } = await page.evaluate<{ violations: Violation[] }>(
    `axe.run(${target}, ${JSON.stringify(options)})`,
  )
  return violations.flatMap(({ id, impact, help, nodes }) =>
    nodes.map(({ target: at, html, failureSummary = '' }) => {
      const why = failureSummary.replace(/\s+/g, ' ').slice(0, 300)
      return `${id} (${impact}): ${help} | ${at.join(' ')} | ${html.slice(0, 200)} | ${why}`
    }),
  )
}

/**
 * The same in light with all rules and in dark with those of colours, since nothing else changes with the scheme; leaves the page light.
 *
 * @param seen  called in each scheme, for a picture
 * @returns lines that begin with the scheme
 */
export async function axeInBoth(
  page: Page,
  options: Omit<AxeOptions, 'only'> = {},
  seen: (scheme: 'light' | 'dark') => Promise<void> = async () => {},
): Promise<string[]> {
  const wrong: string[] = []
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    const only = scheme === 'light' ? {} : { only: ['color-contrast', 'link-in-text-block'] }
    for (const violation of await axeCheck(page, { ...options, ...only })) wrong.push(`${scheme}: ${violation}`)
    await seen(scheme)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  return wrong
}
