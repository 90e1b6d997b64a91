import { ExternalLink } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { visibleText } from '../../lib/visible-text'
import { Button } from './button'
import { Dialog } from './dialog'

/** Parses an address that may be opened: HTTP or HTTPS without credentials. Otherwise `null`. */
export function safeAddress(href: string): URL | null {
  try {
    const url = new URL(href)
    return (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === ''
      ? url
      : null
  } catch {
    return null
  }
}

/** A link in text of an agent or a stranger. It shows its address before it opens. Other addresses are plain text. */
export function OutsideLink({ href, children }: { href: string; children: ReactNode }) {
  const [isAsked, setAsked] = useState(false)
  const url = safeAddress(href)
  if (url === null) return <span title={visibleText(href.slice(0, 300))}>{children}</span>
  return (
    <>
      <button
        type="button"
        onClick={() => setAsked(true)}
        className="text-accent underline decoration-dotted underline-offset-2"
      >
        {children}
        <ExternalLink aria-hidden size={11} className="ml-0.5 inline" />
      </button>
      {isAsked ? (
        <Dialog
          title="Leave Lodeline?"
          onClose={() => setAsked(false)}
          foot={
            <>
              <Button onClick={() => setAsked(false)}>Stay</Button>
              <Button
                look="main"
                onClick={() => {
                  window.open(url.href, '_blank', 'noopener,noreferrer')
                  setAsked(false)
                }}
              >
                Open {visibleText(url.host)}
              </Button>
            </>
          }
        >
          <p className="pb-2 text-sm text-ink-2">This link comes from an agent or a stranger. It leads to:</p>
          <code className="block rounded bg-sunken p-2 font-mono text-xs break-all">{visibleText(url.href)}</code>
        </Dialog>
      ) : null}
    </>
  )
}
