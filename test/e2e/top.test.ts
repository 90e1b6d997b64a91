/** `lode top` at a real terminal: a run's question is answered there, and the terminal is given back. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { RESTING_MS } from '../../src/cli/top/state'
import type { Task } from '../../src/domain/task/task'
import { type LabWith, openLab } from '../lab/lab'
import type { Terminal } from '../lab/running-command'
import { until } from '../lab/until'

let lab: LabWith<'claude' | 'lode'>
beforeAll(async () => {
  lab = await openLab({ claude: { version: '2.1.328', script: 'tasks' }, lode: {} })
  await lab.lode.up()
})
afterAll(() => lab?.stop(), 30_000)

const shown = (terminal: Terminal, text: string) =>
  until(text, () => terminal.text().includes(text.replaceAll(' ', '')))
const LEFT = '\u001b[?1049l'

test('shows a question, answers it once it was asked again, follows the run, and leaves the terminal as it was', async () => {
  const terminal = lab.lode.terminal(['top'])
  await shown(terminal, 'Nothing needs you')
  const { task } = await lab.lode.json<{ task: Task }>('task', 'create', 'ask me')
  await shown(terminal, 'Bash: touch asked.txt')
  await shown(terminal, '1 question')
  terminal.type('\u001b[H')
  terminal.resize(50, 12)
  // A key that comes too early says so: it is pressed until it counts.
  await until('the asking', async () => {
    if (terminal.text().includes('Allowthis?')) return true
    terminal.type('a')
    await Bun.sleep(2 * RESTING_MS)
  })
  expect(terminal.text()).toContain('touchasked.txt')
  await until('the answer', async () => {
    if (terminal.text().includes(`allowed:Bashof${task.id}`)) return true
    terminal.type('y')
    await Bun.sleep(2 * RESTING_MS)
  })
  await until('the run', async () => (await lab.lode.client.tasks.get(task.id)).task.status === 'completed')
  expect(terminal.raw()).not.toContain(LEFT)
  terminal.type('q')
  expect(await terminal.exited).toBe(0)
  expect(terminal.raw()).toContain(LEFT)
})

test.each([
  ['SIGTERM', 130],
  ['SIGHUP', 130],
  ['SIGQUIT', 131],
] as const)('%s gives the terminal back', async (name, code) => {
  const terminal = lab.lode.terminal(['top'])
  await shown(terminal, 'up/down')
  process.kill(terminal.pid, name)
  expect(await terminal.exited).toBe(code)
  expect(terminal.raw()).toContain(LEFT)
})

test('needs a terminal and a server', async () => {
  expect(await lab.lode.lode('top')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('This needs a terminal.'),
  })
})
