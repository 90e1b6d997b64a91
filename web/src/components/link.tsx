import { useRouter } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, MouseEvent, ReactNode } from 'react'
import { useGo } from '../lib/links'

interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  /** Path of the dashboard with its search, e.g. `/tasks/t-7f3k9q2m`. */
  to: string
  children: ReactNode
}

/**
 * A link within the dashboard. The router's own link follows each change of the address and was half of what a list of 200 rows took
 * to draw; this one looks at it when it is drawn.
 */
export function Link({ to, children, className = '', onClick, ...rest }: LinkProps) {
  const router = useRouter()
  const go = useGo()
  const { pathname, search, hash } = new URL(to, location.origin)
  const here = router.state.location
  return (
    <a
      href={pathname + search + hash}
      // A view of a page is another place than the page: only the same search is "here".
      aria-current={here.pathname === pathname && here.searchStr === search ? 'page' : undefined}
      className={`rounded-sm underline-offset-2 hover:underline ${className}`}
      onPointerEnter={() => void router.preloadRoute({ to: pathname as '/' }).catch(() => undefined)}
      {...rest}
      onClick={(event) => {
        onClick?.(event)
        if (event.defaultPrevented || !isPlain(event)) return
        event.preventDefault()
        go(pathname + search + hash)
      }}
    >
      {children}
    </a>
  )
}

/** Anything else is the browser's: a new tab, a new window, a download. */
const isPlain = (event: MouseEvent): boolean =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
