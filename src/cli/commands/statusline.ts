/**
 * `lode statusline`: what an agent CLI draws its status line with. It reads one file that the server keeps new while somebody looks, and
 * prints one line; never an error.
 */
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { askForStatusline } from '../../util/statusline-file'
import { statuslineText } from '../hooks/statusline'
import { defineCommand } from '../kit/command'

/** What a CLI reports of its session has some kB. */
const MAX_TOLD_BYTES = 1_000_000
/** A command of the person's own that takes longer is left out. */
const BESIDE_MS = 5_000

export const command = defineCommand({
  summary: "print Lodeline's part of an agent CLI's status line",
  details: [
    'Called by the status line of an agent CLI, not by people. Prints how much needs you, the task and to-dos of the session, its',
    "cost and how full its context is. Prints nothing where no server runs. 'lode setup claude --statusline' installs it.",
  ].join('\n'),
  options: {
    beside: {
      kind: 'text',
      value: 'COMMAND',
      help: 'print what this command of a shell prints, and the line behind it',
    },
  },
  examples: [{ line: 'lode statusline', does: 'print the line for the session on stdin' }],
  hasJson: false,
  isForPrograms: true,
  async run({ io, globals }, { options }) {
    const told = await io.readInput(MAX_TOLD_BYTES)
    const home = resolve(globals.home ?? (io.env.LODELINE_HOME || join(io.env.HOME || homedir(), '.lodeline')))
    const own = lineFor(home, told)
    const { beside } = options
    const theirs = beside === undefined ? '' : await outputOf(beside, told)
    const line = [theirs, own].filter((part) => part !== '').join('  ')
    if (line !== '') io.out(`${line}\n`)
    return undefined
  },
})

function lineFor(home: string, told: string): string {
  try {
    askForStatusline(home)
    return statuslineText(home, told)
  } catch {
    return ''
  }
}

/** As the CLI itself would have called it. */
async function outputOf(words: string, told: string): Promise<string> {
  try {
    const child = Bun.spawn(['/bin/sh', '-c', words], {
      stdin: Buffer.from(told),
      stdout: 'pipe',
      stderr: 'ignore',
      timeout: BESIDE_MS,
    })
    return (await new Response(child.stdout).text()).trimEnd()
  } catch {
    return ''
  }
}
