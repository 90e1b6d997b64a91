/**
 * What a sandboxed run of the real CLI can do for the user who runs this: started by `sandbox-user.test.ts`, which may be another user.
 * Prints JSON.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NEWEST_CLI as version } from '../lab/claude'
import { openLab } from '../lab/lab'

await using lab = await openLab({
  claude: { version, script: [], host: '127.0.0.2' },
  here: {
    settings: {
      'worker.sandbox': 'require',
      'worker.allow': ['*'],
      'worker.maxPermissionMode': 'bypassPermissions',
      'worker.network': [],
    },
  },
})
const { root, home, project } = lab.claude
mkdirSync(join(home, '.ssh'))
writeFileSync(join(home, '.ssh/id'), 'PRIVATE')
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('x') })
const commands = [
  `cat ${root}/l/token`,
  `cat ${home}/.ssh/id`,
  `echo x >> ${home}/.bashrc`,
  `echo x > ${project}/.git/hooks/post-commit`,
  `curl -sS -f --noproxy '*' http://127.0.0.1:${server.port}/`,
  'curl -sS -f https://example.com/',
  'mount -o remount,rw /',
]
const bash = (command: string) => ({ tools: [{ name: 'Bash', input: { command, description: 'Work' } }] })
const steps = [...commands.map(bash), bash(`id -u; echo x > ${project}/made.txt && echo MADE`), { text: 'Tried all.' }]
writeFileSync(join(root, 'script.json'), JSON.stringify([{ match: { prompt: 'break out', who: 'main' }, steps }]))
await lab.here.startWorker()
const { id } = await lab.tasks.create('Please break out', { permissionMode: 'bypassPermissions' })
const task = await lab.tasks.reached(id, 'completed')
const results = (await lab.tasks.log(id)).filter(({ kind }) => kind === 'tool_result').map(({ text }) => text)
console.log(
  JSON.stringify({
    // It has none of root's rights.
    rights: /^CapEff:\s*(\w+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1],
    output: task.output,
    notRefused: commands.filter((_, index) => results[index]?.startsWith('Bash failed') !== true),
    isPrivate: !lab.claude.lastShown(task.claudeSessionId ?? '').includes('PRIVATE'),
    isMade: existsSync(join(project, 'made.txt')),
    left: ['h/.bashrc', 'p/.git/hooks/post-commit'].filter((path) => existsSync(join(root, path))),
  }),
)
await server.stop(true)
