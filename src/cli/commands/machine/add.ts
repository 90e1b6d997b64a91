import { resolve } from 'node:path'
import { AppError } from '../../../domain/errors'
import { defineCommand } from '../../kit/command'
import type { Context } from '../../kit/context'
import { SSH_OPTIONS, sshOf } from '../../server/ssh-options'
import { addedText } from '../../views/machine-views'

/** What is typed on another machine without quotes. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,59}$/

export const command = defineCommand({
  summary: 'Bring a machine into the fleet by ssh: the program, its access, and its service',
  details: [
    'Runs your own ssh, with your keys and settings; it has to get in without a password. The executable for that system goes to',
    '~/.local/share/lodeline there, the machine gets access by a code that works once, and a service of its user starts the worker.',
    'Where there is no service, the command says how to start it. A step that fails leaves no access behind; run it again at any time.',
  ].join('\n'),
  args: [{ name: 'DESTINATION', help: 'user@host, or a host of your ssh settings' }],
  options: {
    ...SSH_OPTIONS,
    name: { kind: 'text', value: 'NAME', help: "the machine's name in the fleet (default: its host)" },
    reach: {
      kind: 'text',
      value: 'URL',
      help: "the server's address as that machine reaches it (default: server.publicUrl)",
    },
  },
  examples: [
    { line: 'lode machine add ada@builder', does: 'let builder take tasks' },
    {
      line: 'lode machine add builder --host-key SHA256:Jm8tKq',
      does: 'the same, when ssh did not know its key and you compared the fingerprint',
    },
  ],
  async run(context, { args: [destination = ''], options }) {
    const [{ probe }, { copyProgram }, { startMachine }, { keepPlace }, { programFor }] = await Promise.all([
      import('../../../app/machines/probe'),
      import('../../../app/machines/copy-program'),
      import('../../../app/machines/add-machine'),
      import('../../../app/machines/places'),
      import('../../server/ssh-options'),
    ])
    const config = context.config()
    const ssh = await sshOf(context, { destination, ...options })
    const name = options.name ?? ssh.place.destination.replace(/^.*@/, '')
    if (!NAME.test(name))
      throw new AppError('invalid', `${JSON.stringify(name)} can't be the name of a machine.`, {
        hint: 'Name it with --name: letters, digits, dots, dashes and underscores.',
      })
    const reach = await reachOf(context, options.reach, config.server.publicUrl)
    const client = await context.client()
    const note = (text: string) => context.note(text)
    note(`looking at ${destination}`)
    const probed = await probe(ssh)
    using program = await programFor(context, probed.system, options.executable)
    note(`${probed.system}: bringing the program`)
    const isCopied = await copyProgram(ssh, probed, program.path)
    const parts = { ssh, client, name, reach, note, signal: context.signal }
    const added = await startMachine(parts, probed, isCopied)
    keepPlace(config.home, name, {
      ...ssh.place,
      identity: options.identity === undefined ? null : resolve(context.io.cwd, options.identity),
    })
    context.answer(added, () => addedText(added))
  },
})

/** @throws `invalid` the machine would look for the server on itself */
async function reachOf(context: Context, given: string | undefined, publicUrl: string | null): Promise<string> {
  const url = given ?? publicUrl ?? (await context.connection()).url
  const isAddress = url !== null && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
  if (!isAddress)
    throw new AppError('invalid', url === null ? 'No server runs here.' : `${url} is no address of a server.`, {
      hint: "Start one with 'lode up', or name one with --server URL.",
    })
  const isHere = given === undefined && /^(?:localhost|127\.|\[::1\])/.test(new URL(url).hostname)
  if (!isHere) return new URL(url).origin
  throw new AppError('invalid', `The server is at ${url}, which other machines can't reach.`, {
    hint: "Set server.publicUrl to its address in the network ('lode config set server.publicUrl URL'), or name it with --reach URL.",
  })
}
