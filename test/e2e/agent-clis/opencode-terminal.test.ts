/**
 * `opencode -s ID` in another folder than the session's runs the turn, shows nothing and does not end (its issue 41841), and it takes its
 * folder from PWD (47080). What Lodeline gives a person must not lead there: shown with the real CLI in a terminal of another folder.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { OpencodeLab } from '../../agents/opencode-lab'
import { chatText } from '../../agents/scripted-chat'
import { startTerminal, type Terminal } from '../../lab/running-command'
import { until } from '../../lab/until'

describe('a person who continues a session of opencode from another folder', () => {
  let lab: OpencodeLab
  let session: string
  let elsewhere: string

  beforeAll(async () => {
    lab = await OpencodeLab.start({
      begin: [[{ text: 'The harbour has a mole.' }]],
      line: [[{ text: 'The gull sits on the mole.' }]],
      command: [[{ text: 'The crane is on the quay.' }]],
    })
    elsewhere = join(lab.opencode.home, 'another place')
    mkdirSync(elsewhere)
    session = await lab.opencode.run('@@begin to build')
    await until(
      'the session in the record',
      async () => (await lab.lode.client.sessions.get(session).catch(() => null)) ?? undefined,
    )
  })
  afterAll(() => lab?.[Symbol.asyncDispose](), 60_000)

  const place = () => {
    const { HOME, ...env } = { HOME: lab.opencode.home, ...lab.opencode.environment }
    // As a shell of that folder has it.
    return { cwd: elsewhere, env: { PATH: process.env.PATH ?? '', HOME, ...env, PWD: elsewhere } }
  }
  const shows = (terminal: Terminal, text: string) =>
    until(`"${text}" in ${JSON.stringify(terminal.text().slice(-2_000))}`, () =>
      terminal.text().includes(text.replaceAll(' ', '')),
    )

  /** The conversation is there, goes on in its own folder, answers on the screen, and the CLI ends when the test ends it. */
  const goesOn = async (terminal: Terminal, words: string, answer: string) => {
    await shows(terminal, 'The harbour has a mole.')
    terminal.type(words)
    await shows(terminal, words)
    terminal.type('\r')
    await shows(terminal, answer)
    const asked = lab.opencode.model.requests.findLast(({ messages }) =>
      messages.some((one) => chatText(one).includes(words)),
    )
    const shown = (asked?.messages ?? []).map(chatText).join('\n')
    expect(shown).toContain('@@begin to build')
    expect(shown).toContain(lab.opencode.project)
    expect(shown).not.toContain(elsewhere)
    terminal.type('\u0003')
    expect(await terminal.exited).toBe(0)
  }

  test('is taken to its folder by `lode session resume`, and by the line that it prints', async () => {
    const { stdout, exitCode } = await lab.lode.lode('session', 'resume', session, '--print')
    expect(exitCode).toBe(0)
    expect(stdout).toBe(`cd ${lab.opencode.project} && ${lab.opencode.program} --session ${session}\n`)
    await goesOn(startTerminal(['/bin/sh', '-c', stdout.trim()], place()), 'Go on @@line', 'The gull sits on the mole.')

    const resume = lab.lode.terminal(['session', 'resume', session], elsewhere)
    await goesOn(resume, 'And then @@command', 'The crane is on the quay.')
  })
})
