import { CircleHelp, Columns2, History, Link2, Play, Search, Send, Share2, SquareTerminal } from 'lucide-react'
import { useMemo, useState } from 'react'
import { lazyPart } from '../../../components/lazy-part'
import { Button, IconButton } from '../../../components/ui/button'
import { othersAtWorkers, useAgentClis } from '../../../lib/agent-clis'
import { copyText } from '../../../lib/clipboard'
import { type KeyBinding, useKeys } from '../../../lib/keys/keys'
import { useGo } from '../../../lib/links'
import { visibleText } from '../../../lib/visible-text'
import type { VerbState } from '../live/session-verbs'
import { usePausedTask } from '../live/use-paused-task'
import { VerbsDialog } from '../live/verbs-dialog'
import { MessageDialog } from './message-dialog'
import { ResumeDialog } from './resume-dialog'
import { useSession } from './session-context'
import { EMPTY_FIND, type SessionPlace } from './session-search'
import { TerminalDialog } from './terminal-dialog'
import type { KnownSession, SessionDetail } from './use-session-data'

const ShareDialog = lazyPart(async () => (await import('./share-dialog')).ShareDialog)

interface SessionActionsProps {
  /** `null` until it is loaded; a requested dialog opens then. */
  session: KnownSession | null
  address: string
  worker: SessionDetail['worker']
  place: SessionPlace
  verbs: readonly VerbState[]
  onMove(change: Partial<SessionPlace>): void
}

/** Actions on a session, with the page's shortcuts. */
export function SessionActions({ session, address, worker, place, verbs, onMove }: SessionActionsProps) {
  const { pathTo } = useSession()
  const go = useGo()
  const [dialog, setDialog] = useState<'terminal' | 'message' | 'resume' | 'share' | 'verbs' | null>(null)
  const [isCopied, setCopied] = useState(false)
  const { view } = place
  const knownId = session?.id ?? null
  const isFinding = place.find !== null
  const clis = useAgentClis()
  const own = clis.find(({ name }) => name === session?.agent)
  // Until it is known, as most can.
  const canRun = own?.canRun ?? true
  const others = session === null ? [] : othersAtWorkers(clis, session.agent)
  const isOver = session?.status === 'lost' || session?.status === 'ended'
  // The process of a session that is only recorded is not known, so a person can't declare it ended.
  const isPaused = usePausedTask(knownId, worker) !== null
  const canResume = isPaused ? false : canRun ? isOver : others.length > 0 && (isOver || session?.status === 'idle')
  const [other] = others

  const bindings = useMemo((): KeyBinding[] => {
    const group = 'Session'
    return [
      { keys: 'f', label: 'find in the session', group, opensField: true, run: () => onMove({ find: EMPTY_FIND }) },
      {
        keys: 't',
        label: 'show or hide the timeline',
        group,
        run: () => onMove({ view: view === 'timeline' ? 'conversation' : 'timeline' }),
      },
      {
        keys: 'm',
        act: 'messages.send',
        label: 'send a message to the session',
        group,
        opensField: true,
        isPossible: () => canRun,
        run: () => (canRun ? setDialog('message') : false),
      },
      {
        keys: 'r',
        act: 'sessions.resume',
        label: 'resume as a task',
        group,
        opensField: true,
        isPossible: () => canResume,
        run: () => (canResume ? setDialog('resume') : false),
      },
      {
        keys: 'v',
        label: 'compare with another session',
        group,
        run: () => (knownId === null ? false : go(`/compare?a=${knownId}`)),
      },
      {
        keys: 's',
        label: 'share or export',
        group,
        opensField: true,
        run: () => (knownId === null ? false : setDialog('share')),
      },
      {
        keys: 'o',
        label: 'open in a terminal',
        group,
        isPossible: () => canRun,
        run: () => (canRun ? setDialog('terminal') : false),
      },
      { keys: 'Escape', label: 'close the search', group, run: () => (isFinding ? onMove({ find: null }) : false) },
    ]
  }, [onMove, view, isFinding, canResume, canRun, knownId, go])
  useKeys(bindings)

  async function copyLink() {
    if (!(await copyText(location.origin + pathTo({})))) return
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <>
      {canResume ? (
        <Button
          act="sessions.resume"
          look={session?.status === 'lost' ? 'main' : 'plain'}
          icon={<Play aria-hidden size={13} />}
          onClick={() => setDialog('resume')}
        >
          {canRun ? 'Resume' : others.length === 1 ? `Continue in ${visibleText(other?.title ?? '')}` : 'Continue in …'}
        </Button>
      ) : null}
      {canRun ? (
        <>
          <Button act="messages.send" icon={<Send aria-hidden size={13} />} onClick={() => setDialog('message')}>
            Message
          </Button>
          <Button icon={<SquareTerminal aria-hidden size={13} />} onClick={() => setDialog('terminal')}>
            Terminal
          </Button>
        </>
      ) : null}
      <IconButton label="Find in the session (f)" onClick={() => onMove({ find: EMPTY_FIND })}>
        <Search aria-hidden size={15} />
      </IconButton>
      {session?.startedAt == null || place.t !== null ? null : (
        <IconButton label="Replay" onClick={() => onMove({ t: session.startedAt, at: null, view: 'conversation' })}>
          <History aria-hidden size={15} />
        </IconButton>
      )}
      {session === null ? null : (
        <IconButton label="Compare with another session (v)" onClick={() => go(`/compare?a=${session.id}`)}>
          <Columns2 aria-hidden size={15} />
        </IconButton>
      )}
      <IconButton label="What you can do with this session" onClick={() => setDialog('verbs')}>
        <CircleHelp aria-hidden size={15} />
      </IconButton>
      <IconButton label="Share or export (s)" onClick={() => setDialog('share')}>
        <Share2 aria-hidden size={15} />
      </IconButton>
      <IconButton label={isCopied ? 'Link copied' : 'Copy a link to this place'} onClick={() => void copyLink()}>
        <Link2 aria-hidden size={15} className={isCopied ? 'text-done' : ''} />
      </IconButton>
      {dialog === 'resume' && session !== null ? (
        <ResumeDialog
          sessionId={session.id}
          command={canRun ? `lode session resume ${session.id}` : null}
          own={canRun ? (own ?? null) : null}
          others={others}
          onClose={() => setDialog(null)}
        />
      ) : null}
      {dialog === 'verbs' ? <VerbsDialog verbs={verbs} onClose={() => setDialog(null)} /> : null}
      {dialog === 'message' && session !== null ? (
        <MessageDialog session={session} address={address} worker={worker} onClose={() => setDialog(null)} />
      ) : null}
      {dialog === 'share' && session !== null ? (
        <ShareDialog session={session} onClose={() => setDialog(null)} />
      ) : null}
      {dialog === 'terminal' && session !== null ? (
        <TerminalDialog session={session} onClose={() => setDialog(null)} />
      ) : null}
    </>
  )
}
