/** Lodeline as a person runs it, with the made-up agent CLI entered first. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Inputs } from '../../../src/api/contract/operations'
import { FINAL_TASK_STATUSES, type Task } from '../../../src/domain/task/task'
import { type Claude, type ClaudeOptions, cliPath, NEWEST_CLI } from '../../lab/claude'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { until } from '../../lab/until'
import type { DatabaseKind } from '../../store-contract/databases'

const main = resolve(import.meta.dir, '../../../src/cli/main.ts')
const enter = join(import.meta.dir, 'enter.ts')

export class MadeUpLab {
  readonly lab: Lab
  readonly lode: Lode
  readonly project: string
  /** The CLI's own folder, and that of another account. */
  readonly cliRoot: string
  readonly otherRoot: string
  readonly program: string

  private constructor(lab: Lab, databaseUrl: string | undefined, claude: Claude | undefined) {
    this.lab = lab
    this.project = lab.folder('p')
    this.cliRoot = lab.folder('m')
    this.otherRoot = lab.folder('m2')
    const bin = lab.folder('bin')
    // The search path is that of the lab, with the made-up program.
    const { PATH: _, ...ofClaude } = claude?.environment() ?? {}
    this.program = join(bin, 'made-up')
    writeFileSync(this.program, `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dir, 'cli.ts')}' "$@"\n`)
    chmodSync(this.program, 0o755)
    this.lode = lab.addLode('l', {
      command: [process.execPath, '--preload', enter, main],
      cwd: this.project,
      databaseUrl,
      path: [bin],
      ...(claude && { claudeRoots: [], homes: { 'claude-code': [claude.claudeRoot] } }),
      settings: {
        'agents.made-up.homes': [this.cliRoot, this.otherRoot],
        ...(claude && { 'agents.claude-code.executable': cliPath(NEWEST_CLI) }),
      },
      env: { ...ofClaude, HOME: claude?.home ?? lab.root, MADE_UP_HOME: this.cliRoot },
    })
  }

  static async start(database: DatabaseKind): Promise<MadeUpLab> {
    const lab = new Lab()
    const made = new MadeUpLab(lab, await lab.addDatabase(database), undefined)
    await made.lode.up()
    return made
  }

  /** The made-up CLI on a machine that has the real Claude Code, too. */
  static async besideClaude(
    database: DatabaseKind,
    options: Omit<ClaudeOptions, 'version'>,
  ): Promise<{ made: MadeUpLab; claude: Claude }> {
    const lab = new Lab()
    const claude = await lab.addClaude({ version: NEWEST_CLI, ...options })
    const made = new MadeUpLab(lab, await lab.addDatabase(database), claude)
    await made.lode.up()
    return { made, claude }
  }

  /** A person's talk, which Lodeline has not begun. @returns its id */
  async talk(prompt: string, root = this.cliRoot): Promise<string> {
    const cli = Bun.spawn([this.program, 'talk'], {
      cwd: this.project,
      env: { PATH: process.env.PATH ?? '', HOME: this.lab.root, MADE_UP_HOME: root },
      stdin: Buffer.from(prompt),
      stdout: 'pipe',
    })
    return (await cli.stdout.text()).split(' ')[1] ?? ''
  }

  talkFile = (id: string, root = this.cliRoot): string => join(root, 'talks', `${id}.talk`)

  /** What a command prints. @throws Error when it fails */
  async lines(...args: string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await this.lode.lode(...args)
    if (exitCode !== 0) throw new Error(`lode ${args.join(' ')} ended with ${exitCode}: ${stderr}`)
    return stdout
  }

  /** Makes a task and waits until nothing more will happen to it. */
  async done(input: Inputs['tasks']['create']): Promise<Task> {
    const { task } = await this.lode.client.tasks.create(input)
    return await this.ended(task.id)
  }

  async ended(id: Task['id']): Promise<Task> {
    return await until(`the end of ${id}`, async () => {
      const { task } = await this.lode.client.tasks.get(id)
      return (FINAL_TASK_STATUSES as readonly string[]).includes(task.status) ? task : undefined
    })
  }
}
