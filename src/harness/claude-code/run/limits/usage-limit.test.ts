import { describe, expect, test } from 'bun:test'
import { nextTime } from './reset-time'
import { limitText, readUsageLimit } from './usage-limit'

/** A Sunday, 14:30 in Berlin. */
const NOW = Date.UTC(2026, 6, 19, 12, 30)
const iso = (at: number | null | undefined) => (at === null || at === undefined ? at : new Date(at).toISOString())

/** As releases from 1.0 to 2.1.3xx wrote them, in public issues. */
const TEXTS: [string, string | null][] = [
  ['Claude AI usage limit reached|1784500000', '2026-07-19T22:26:40.000Z'],
  ['Claude usage limit reached. Your limit will reset at 3pm (America/Santiago).', '2026-07-19T19:00:00.000Z'],
  ['Claude usage limit reached. Your limit will reset at 1pm (Etc/GMT+5).', '2026-07-19T18:00:00.000Z'],
  [
    '5-hour limit reached · resets 2pm (Pacific/Auckland) · /upgrade to Max 20x or turn on /extra-usage',
    '2026-07-20T02:00:00.000Z',
  ],
  ['5-hour limit reached ∙ resets 3am (Europe/Berlin)', '2026-07-20T01:00:00.000Z'],
  ['Opus weekly limit reached ∙ resets Oct 31, 9am (UTC)', '2026-10-31T09:00:00.000Z'],
  ['Weekly limit reached · resets Dec 2, 7pm (Europe/Moscow) ·', '2026-12-02T16:00:00.000Z'],
  ["You've hit your limit · resets 4:50am (Europe/Rome)", '2026-07-20T02:50:00.000Z'],
  ["You've hit your session limit · resets 3pm (Europe/Berlin)", '2026-07-19T13:00:00.000Z'],
  ["You've hit your session limit · resets 1:20pm (Asia/Calcutta)", '2026-07-20T07:50:00.000Z'],
  ["You've hit your session limit · resets 12:50am (America/Los_Angeles)", '2026-07-20T07:50:00.000Z'],
  ["You've hit your session limit · resets 12:10pm (UTC)", '2026-07-20T12:10:00.000Z'],
  ["You've hit your session limit · resets 5:40pm (Europe/Berlin) · progress saved", '2026-07-19T15:40:00.000Z'],
  ["You've hit your weekly limit · resets Sep 15 at 7pm (UTC)", '2026-09-15T19:00:00.000Z'],
  ["You've hit your Opus limit · resets Jul 26, 5:59am (America/Los_Angeles)", '2026-07-26T12:59:00.000Z'],
  ["You've hit your Fable limit · resets Jan 2, 2027, 9am (UTC)", '2027-01-02T09:00:00.000Z'],
  ["You've hit your weekly limit · resets Jan 2, 9am (UTC)", '2027-01-02T09:00:00.000Z'],
  ["You're out of extra usage · resets Aug 2, 2pm (Asia/Jerusalem)", '2026-08-02T11:00:00.000Z'],
  ["You're out of usage credits · resets 10pm (America/Los_Angeles)", '2026-07-20T05:00:00.000Z'],
  [
    "You've hit your monthly spend limit · your session limit resets 2:40pm (Asia/Jakarta)\n/usage-credits to adjust your monthly spend limit.",
    '2026-07-20T07:40:00.000Z',
  ],
  ["You've hit your extra usage spend limit ∙ Your limit resets at 3:00 PM (UTC)", '2026-07-19T15:00:00.000Z'],
  ["You've hit your monthly spend limit · raise it at claude.ai/settings/usage?from=cc_cli_limit_message", null],
  ["You've hit your org's monthly usage limit", null],
  ['You’ve hit your limit for Claude messages. Limits will reset at 9:30 AM (UTC).', '2026-07-20T09:30:00.000Z'],
  ['Your org is out of usage · add funds to continue', null],
]
test.each(TEXTS)('%s', (text, expected) => {
  const limit = readUsageLimit(text, NOW)
  expect(limit).not.toBeNull()
  expect(iso(limit?.resetAt)).toBe(expected)
})

const OTHERS = [
  "API Error: Request rejected (429) · This request would exceed your account's rate limit. Please try again later.",
  'API Error: 529 Overloaded.',
  'Reached maximum number of turns (1)',
  'Reached maximum budget ($0.5)',
  'The output token limit was reached',
  'Prompt is too long',
  'Invalid API key · Please run /login',
  '',
]
test.each(OTHERS)('%s is no limit of the account', (text) => {
  expect(readUsageLimit(text, NOW)).toBeNull()
})

test('a refusal that the CLI tells of as a record is read back to the second', () => {
  const text = limitText('five_hour', 1784500000)
  expect(text).toContain('session limit')
  expect(readUsageLimit(text, NOW)).toEqual({ resetAt: 1784500000_000 })
  expect(readUsageLimit(limitText('seven_day_something', 'soon'), NOW)).toEqual({ resetAt: null })
})

describe('a time without a date', () => {
  test('is the next such time in its zone, over a change of the clock too', () => {
    // Clocks go back at 03:00 on 25 October 2026 in Berlin.
    const night = Date.UTC(2026, 9, 24, 20)
    expect(iso(nextTime('4am (Europe/Berlin)', night))).toBe('2026-10-25T03:00:00.000Z')
    expect(iso(nextTime('11:30pm (Europe/Berlin)', night))).toBe('2026-10-24T21:30:00.000Z')
    // And forward at 02:00 on 29 March.
    expect(iso(nextTime('4am (Europe/Berlin)', Date.UTC(2026, 2, 28, 22)))).toBe('2026-03-29T02:00:00.000Z')
  })

  test('that is now is the one of tomorrow', () => {
    expect(iso(nextTime('12:30pm (UTC)', NOW))).toBe('2026-07-20T12:30:00.000Z')
  })

  test('without a zone, or in one that nobody knows, is a time of this machine', () => {
    const here = new Date(NOW)
    here.setHours(here.getHours() + 2, 0, 0, 0)
    const hour = here.getHours()
    const said = `${hour % 12 === 0 ? 12 : hour % 12}${hour < 12 ? 'am' : 'pm'}`
    expect(nextTime(said, NOW)).toBe(here.getTime())
    expect(nextTime(`${said} (Mars/Olympus)`, NOW)).toBe(here.getTime())
  })
})

test.each(['', 'soon', '25pm', '13pm', '0am', '3:75pm', '24:00', '99', 'Feb 40, 3pm', '1.5.2026'])(
  'what is no time gives none: %s',
  (text) => {
    expect(nextTime(text, NOW)).toBeNull()
  },
)
