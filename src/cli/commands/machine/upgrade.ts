import { AppError } from '../../../domain/errors'
import { defineCommand } from '../../kit/command'
import { programFor, SSH_OPTIONS, sshOf } from '../../server/ssh-options'
import { upgradedText } from '../../views/machine-views'

export const command = defineCommand({
  summary: 'Bring this program to a machine that was added by ssh, and restart its worker',
  details: [
    'Its worker restarts at the first moment at which nothing runs there, and takes tasks until then: no run ends. `lode machine list`',
    'shows that the restart is due. Where no service runs the worker, restart it yourself.',
  ].join('\n'),
  args: [{ name: 'NAME', help: "the machine's name", complete: 'machine' }],
  options: {
    ...SSH_OPTIONS,
    destination: { kind: 'text', value: 'user@host', help: 'where ssh leads (default: as it was added from here)' },
  },
  examples: [{ line: 'lode machine upgrade builder', does: 'run this version on builder too' }],
  async run(context, { args: [name = ''], options }) {
    const [{ probe }, { copyProgram }, { restartWorker }, { placeOf }] = await Promise.all([
      import('../../../app/machines/probe'),
      import('../../../app/machines/copy-program'),
      import('../../../app/machines/add-machine'),
      import('../../../app/machines/places'),
    ])
    const place = placeOf(context.config().home, name)
    const destination = options.destination ?? place?.destination
    if (destination === undefined)
      throw new AppError('not_found', `${name} was not added from here.`, {
        hint: 'Name where ssh leads to it with --destination user@host.',
      })
    const ssh = await sshOf(context, {
      destination,
      port: options.port ?? place?.port ?? undefined,
      identity: options.identity ?? place?.identity ?? undefined,
      'host-key': options['host-key'],
    })
    const probed = await probe(ssh)
    using program = await programFor(context, probed.system, options.executable)
    const isCopied = await copyProgram(ssh, probed, program.path)
    const restart = isCopied ? await restartWorker(ssh) : null
    const upgraded = {
      ...{ name, system: probed.system, isCopied },
      ...{ isRestarted: restart !== null, isAwaited: restart === 'when idle' },
    }
    context.answer(upgraded, () => upgradedText(upgraded))
  },
})
