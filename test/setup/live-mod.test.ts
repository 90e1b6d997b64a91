/** The mod in the real CLI's terminal, beside the hooks: what both could report comes once, and what hooks can't report is known. */
import { expect, test } from 'bun:test'
import { cliPath } from '../lab/claude'
import { openLab } from '../lab/lab'
import { startTerminal } from '../lab/running-command'
import { until } from '../lab/until'

const VERSION = '2.1.330'
const SCRIPT = [
  {
    name: 'talk',
    match: { who: 'main' },
    steps: [
      { text: 'First answer.' },
      { text: 'The tide was heard.' },
      { text: 'Looking.', tools: [{ name: 'Bash', input: { command: 'sleep 60', description: 'Look long' } }] },
    ],
  },
]
const times = (text: string, part: string) => text.split(part).length - 1

test('wakes an idle conversation, tells each thing once, and tells at once that the person interrupted a turn', async () => {
  const lab = await openLab({ claude: { version: VERSION, script: SCRIPT }, lode: {}, server: true })
  try {
    lab.claude.skipWelcome()
    expect((await lab.lode.lode('setup', 'claude', '--user', '--mod')).exitCode).toBe(0)
    const session = crypto.randomUUID()
    const words = [cliPath(VERSION), '--session-id', session, '--permission-mode', 'default', '--allowedTools', 'Bash']
    const env = lab.claude.environment({ LODELINE_HOME: lab.lode.home })
    const terminal = startTerminal(words, { cwd: lab.claude.project, env })
    lab.ending('the terminal', async () => {
      process.kill(terminal.pid, 'SIGKILL')
      await terminal.exited
    })
    const asked = () => lab.claude.requests().filter(({ rule }) => rule === 'talk')
    const say = async (prompt: string, count: number) => {
      terminal.type(prompt)
      await until('the prompt', () => terminal.text().includes(prompt.replace(/\s/g, '')))
      terminal.type('\r')
      await until(`request ${count}`, () => asked().length === count)
    }
    await until('the prompt line', () => terminal.text().includes('forshortcuts'))
    await say('hello there', 1)
    await until('the answer', () => terminal.text().includes('Firstanswer.'))

    expect((await lab.lode.lode('message', 'send', session, 'Did the tide turn?', '--wants-reply')).exitCode).toBe(0)
    await until('the conversation to be woken', () => terminal.text().includes('Thetidewasheard.'))
    await say('look long', 3)
    const shown = JSON.stringify(asked().at(-1)?.body.messages)
    expect(times(shown, 'Did the tide turn?')).toBe(1)
    expect(times(shown, 'Lodeline keeps the record of the work in')).toBe(1)

    await until('the command', () => terminal.text().includes('sleep60'))
    terminal.type('\u001b')
    await until('the interruption in the record', async () => {
      const { stdout } = await lab.lode.lode('session', 'show', session, '--json')
      return JSON.stringify(JSON.parse(stdout)).includes('LodeInterrupted')
    })
  } finally {
    await lab.stop()
  }
})
