/** Rules that refuse hold in every permission mode, by the CLI itself. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OUTER_CLIS } from '../lab/claude'
import { type LabWith, openLab } from '../lab/lab'

/** What the model tries, all at once: paths are below the root of the lab. */
const TRIES = (root: string) => [
  { name: 'Write', input: { file_path: `${root}/p/.git/hooks/pre-commit`, content: 'x' } },
  { name: 'Write', input: { file_path: `${root}/p/hooks/post-commit`, content: 'x' } },
  { name: 'Write', input: { file_path: `${root}/p/sub/.git/config`, content: 'x' } },
  { name: 'Write', input: { file_path: `${root}/h/.bashrc`, content: 'x' } },
  { name: 'Write', input: { file_path: `${root}/p/.claude/settings.local.json`, content: '{}' } },
  { name: 'Write', input: { file_path: `${root}/h/.claude/settings.json`, content: '{}' } },
  { name: 'Write', input: { file_path: `${root}/l/config.yaml`, content: 'x' } },
  { name: 'Read', input: { file_path: `${root}/l/token` } },
  { name: 'Read', input: { file_path: `${root}/l/lodeline.db-kept` } },
  { name: 'Read', input: { file_path: `${root}/l/streams/deep/of-another.txt` } },
  { name: 'Read', input: { file_path: `${root}/l/not-known/deep/of-another.txt` } },
  { name: 'Read', input: { file_path: `${root}/h/.ssh/id` } },
  { name: 'Write', input: { file_path: `${root}/p/sealed/deep/made.txt`, content: 'x' } },
  { name: 'Bash', input: { command: 'rm kept.txt', description: 'Work' } },
  { name: 'Bash', input: { command: 'echo a && rm kept.txt', description: 'Work' } },
  { name: 'WebFetch', input: { url: 'http://127.0.0.1:9/x', prompt: 'x' } },
]

describe.each(OUTER_CLIS)('a run of the agent CLI %s that is asked nothing', (version) => {
  let lab: LabWith<'claude' | 'here'>
  beforeAll(async () => {
    lab = await openLab({
      claude: { version, script: [] },
      here: {
        settings: {
          'worker.maxPermissionMode': 'bypassPermissions',
          'worker.allow': ['*'],
          'worker.deny': ['Bash(rm *)', 'Edit(sealed/*)', 'WebFetch'],
        },
      },
    })
    const { project, home, root } = lab.claude
    writeFileSync(
      join(root, 'script.json'),
      JSON.stringify([
        {
          match: { prompt: 'try it', who: 'main' },
          steps: [
            { tools: [...TRIES(root), { name: 'Write', input: { file_path: `${project}/made.txt`, content: 'x' } }] },
            { text: 'Tried.' },
          ],
        },
      ]),
    )
    writeFileSync(join(project, 'kept.txt'), 'x')
    mkdirSync(join(home, '.ssh'))
    writeFileSync(join(home, '.ssh/id'), 'PRIVATE')
    for (const folder of ['streams/deep', 'not-known/deep']) {
      mkdirSync(join(root, 'l', folder), { recursive: true })
      writeFileSync(join(root, 'l', folder, 'of-another.txt'), 'PRIVATE')
    }
    writeFileSync(join(root, 'l/lodeline.db-kept'), 'PRIVATE')
    symlinkSync('.git/hooks', join(project, 'hooks'))
    await lab.here.startWorker()
  })
  afterAll(async () => lab.stop())

  test('changes nothing that is protected, reads no secret, and does nothing that a rule refuses; the log tells each', async () => {
    const { root, project } = lab.claude
    const { id } = await lab.tasks.create('Please try it', { permissionMode: 'bypassPermissions' })
    const { claudeSessionId } = await lab.tasks.reached(id, 'completed')
    // The proof that it could have.
    expect(existsSync(join(project, 'made.txt'))).toBe(true)
    expect(existsSync(join(project, 'kept.txt'))).toBe(true)
    const tries = TRIES(root)
    const written = tries.flatMap(({ name, input }) => (name === 'Write' ? [input.file_path ?? ''] : []))
    expect(written.filter((path) => existsSync(path))).toEqual([])
    const shown = lab.claude.lastShown(claudeSessionId ?? '')
    expect(shown).not.toContain('PRIVATE')
    const failures = (await lab.tasks.log(id)).filter(
      ({ kind, text }) => kind === 'tool_result' && / failed: /.test(text),
    )
    expect(failures.map(({ text }) => text.split(' ')[0])).toEqual(tries.map(({ name }) => name))
  })
})
