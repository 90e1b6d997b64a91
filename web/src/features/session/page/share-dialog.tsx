import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Download, Link2, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Answers } from '#api/contract/operations/index'
import type { SessionId } from '#domain/ids'
import type { DocumentFormat } from '#domain/session/document'
import { DAY_MS } from '#domain/time-units'
import { Button, IconButton } from '../../../components/ui/button'
import { Dialog } from '../../../components/ui/dialog'
import { ErrorLine } from '../../../components/ui/error-card'
import { Select, TextField } from '../../../components/ui/field'
import { CommandLine } from '../../../components/ui/id-chip'
import { When } from '../../../components/ui/when'
import { client } from '../../../lib/api'
import { copyText } from '../../../lib/clipboard'
import { bytesInWords, counted } from '../../../lib/format'
import { useMay } from '../../../lib/me'
import { saveFile } from '../../../lib/save-file'
import type { KnownSession } from './use-session-data'

type Masked = Answers['sessions']['document']['masked']

const SPANS = [
  ['1 hour', DAY_MS / 24],
  ['1 day', DAY_MS],
  ['1 week', 7 * DAY_MS],
  ['30 days', 30 * DAY_MS],
] as const

const TYPES = { html: 'text/html', md: 'text/markdown' } as const satisfies Record<DocumentFormat, string>

interface ShareDialogProps {
  session: Pick<KnownSession, 'id'>
  /** The session that it is compared with. */
  beside?: SessionId
  onClose(): void
}

/**
 * Gives a session, a range of its turns, or a comparison to somebody else: as a file, or by a link that expires. Says first what is
 * masked.
 */
export function ShareDialog({ session, beside, onClose }: ShareDialogProps) {
  const [typed, setTyped] = useState({ from: '', until: '' })
  const [range, setRange] = useState(typed)
  const asked = {
    ...(range.from.trim() !== '' && { from: range.from.trim() }),
    ...(range.until.trim() !== '' && { until: range.until.trim() }),
    ...(beside !== undefined && { besideId: beside }),
  }
  const mayShare = useMay('shares.create')
  const made = useQuery({
    queryKey: ['document', session.id, beside, range.from, range.until],
    queryFn: ({ signal }) => client.sessions.document(session.id, { format: 'html', ...asked }, { signal }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const download = useMutation({
    mutationFn: async (format: DocumentFormat) => {
      const file =
        format === 'html' && made.data !== undefined
          ? made.data
          : await client.sessions.document(session.id, { format, ...asked })
      saveFile(file.name, [file.text], `${TYPES[format]};charset=utf-8`)
    },
  })
  const take = () => setRange(typed)
  const field = (name: 'from' | 'until', label: string, placeholder: string) => (
    <TextField
      label={label}
      placeholder={placeholder}
      inputMode="numeric"
      value={typed[name]}
      onChange={(event) => setTyped({ ...typed, [name]: event.target.value })}
      onBlur={take}
      onKeyDown={(event) => (event.key === 'Enter' ? take() : undefined)}
    />
  )
  const isReady = made.data !== undefined
  return (
    <Dialog title={beside === undefined ? 'Share this session' : 'Share this comparison'} onClose={onClose}>
      <div className="flex flex-col gap-4 text-sm">
        {beside === undefined ? (
          <div className="grid grid-cols-2 gap-3">
            {field('from', 'From turn', 'the first')}
            {field('until', 'Until turn', 'the last')}
          </div>
        ) : null}
        <div role="status" className="text-ink-2">
          {made.isPending ? `Reading the ${beside === undefined ? 'session' : 'sessions'} …` : null}
          {made.data === undefined ? null : <Preview made={made.data} />}
        </div>
        <ErrorLine error={made.error} />
        <div className="flex flex-wrap gap-2">
          {(['html', 'md'] as const).map((format) => (
            <Button
              key={format}
              icon={<Download aria-hidden size={13} />}
              disabled={!isReady}
              isBusy={download.isPending && download.variables === format}
              onClick={() => download.mutate(format)}
            >
              {format === 'html' ? 'Save as HTML' : 'Save as Markdown'}
            </Button>
          ))}
        </div>
        <ErrorLine error={download.error} />
        {mayShare ? <LinkPart session={session} range={asked} isReady={isReady} /> : null}
      </div>
    </Dialog>
  )
}

function Preview({ made: { text, turns, masked, isCut } }: { made: Answers['sessions']['document'] }) {
  return (
    <>
      <p>
        {counted(turns, 'turn')}, {bytesInWords(new Blob([text]).size)}.
        {isCut ? ' The rest does not fit: choose a range.' : ''}
      </p>
      {masked.length === 0 ? (
        <p>No secret of a known form is in it. Read it before you give it away.</p>
      ) : (
        <MaskedList masked={masked} />
      )}
    </>
  )
}

const MaskedList = ({ masked }: { masked: Masked }) => (
  <>
    <p className="pt-1 font-medium text-ink">Masked in it:</p>
    <ul>
      {masked.map(({ rule, count, turns }) => (
        <li key={rule}>
          <code className="font-mono text-xs">{rule}</code>, {counted(count, 'time')}, in turn {turns.join(', ')}
        </li>
      ))}
    </ul>
  </>
)

interface LinkPartProps {
  session: Pick<KnownSession, 'id'>
  range: { from?: string; until?: string; besideId?: SessionId }
  isReady: boolean
}

/** Makes a link, and lists those that work. */
function LinkPart({ session, range, isReady }: LinkPartProps) {
  const [span, setSpan] = useState<number>(SPANS[2][1])
  const queries = useQueryClient()
  const renew = () => queries.invalidateQueries({ queryKey: ['shares'] })
  const links = useQuery({ queryKey: ['shares'], queryFn: ({ signal }) => client.shares.list({ signal }) })
  const create = useMutation({
    mutationFn: () => client.shares.create({ sessionId: session.id, ...range, expiresInMs: span }),
    async onSuccess({ url, path }) {
      await renew()
      await copyText((url ?? location.origin) + path)
    },
  })
  const revoke = useMutation({
    mutationFn: (id: string) => client.shares.revoke(id),
    onSuccess(_answer, id) {
      if (create.data?.share.id === id) create.reset()
      return renew()
    },
  })
  const own =
    links.data?.shares.filter(
      ({ sessionId, besideId, state }) =>
        sessionId === session.id && besideId === (range.besideId ?? null) && state === 'active',
    ) ?? []
  const isLocal = create.data?.url === null && /^(localhost|127\.|\[::1\])/.test(location.hostname)
  return (
    <section aria-label="Link" className="flex flex-col gap-3 border-t border-line pt-4">
      <p className="text-ink-2">
        A link shows the same to whoever has it, without a login, until it expires. What is said later is not in it.
      </p>
      <div className="flex items-end gap-2">
        <Select label="Expires in" value={span} onChange={(event) => setSpan(Number(event.target.value))}>
          {SPANS.map(([name, ms]) => (
            <option key={name} value={ms}>
              {name}
            </option>
          ))}
        </Select>
        <Button
          look="main"
          act="shares.create"
          icon={<Link2 aria-hidden size={13} />}
          disabled={!isReady}
          isBusy={create.isPending}
          onClick={() => create.mutate()}
          className="h-8 max-md:h-10"
        >
          Create link
        </Button>
      </div>
      {create.data === undefined ? null : (
        <div className="flex flex-col gap-1">
          <CommandLine command={(create.data.url ?? location.origin) + create.data.path} />
          <p className="text-xs text-ink-3">
            It is shown only here.
            {isLocal ? ' Only browsers of this machine reach this address.' : ''}
          </p>
        </div>
      )}
      <ErrorLine error={create.error ?? revoke.error} />
      {own.length === 0 ? null : (
        <ul aria-label="Links that work" className="flex flex-col">
          {own.map(({ id, from, until, expiresAt, lastUsedAt }) => (
            <li key={id} className="flex items-center gap-2 border-t border-line py-1 text-xs text-ink-2">
              <span className="font-mono whitespace-nowrap">{id}</span>
              {range.besideId === undefined ? (
                <span>
                  turns {Math.max(1, from)} to {until}
                </span>
              ) : null}
              <span>
                {lastUsedAt === null ? (
                  'not opened yet'
                ) : (
                  <>
                    opened <When at={lastUsedAt} />
                  </>
                )}
                , expires {new Date(expiresAt).toLocaleString()}
              </span>
              <span className="ml-auto">
                <IconButton act="shares.revoke" label={`Revoke the link ${id}`} onClick={() => revoke.mutate(id)}>
                  <Trash2 aria-hidden size={13} />
                </IconButton>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
