import { LitElement, css } from "lit";
import type { Page } from "../page.js";

/** What all elements of the page share: they show `page`, and are redrawn by the app's one clock. */
export class CyElement extends LitElement {
  static override properties = { page: { attribute: false } };
  declare page: Page;
}

export function define(name: string, type: CustomElementConstructor): void {
  if (!customElements.get(name)) customElements.define(name, type);
}

/** Panels, buttons, rows: one look for all. */
export const look = css`
  :host {
    display: block;
    box-sizing: border-box;
    min-width: 0;
  }
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  .panel {
    background: var(--panel);
    border: 1px solid var(--line);
    border-radius: var(--radius);
    padding: 10px 12px;
    height: 100%;
  }
  h2 {
    margin: 0 0 6px;
    font-size: 11px;
    font-weight: 600;
    letter-spacing: 0.07em;
    text-transform: uppercase;
    color: var(--muted);
    display: flex;
    justify-content: space-between;
    gap: 8px;
  }
  h2 > span {
    text-transform: none;
    letter-spacing: 0;
    font-weight: 400;
  }
  button {
    font: inherit;
    font-weight: 600;
    color: var(--text);
    background: var(--raised);
    border: 1px solid var(--line);
    border-radius: 8px;
    padding: 7px 12px;
    cursor: pointer;
    touch-action: manipulation;
  }
  button:hover:not(:disabled) {
    border-color: var(--accent);
  }
  button:focus-visible,
  input:focus-visible,
  summary:focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
  }
  button:disabled {
    opacity: 0.45;
    cursor: default;
  }
  button.primary {
    background: var(--accent);
    border-color: var(--accent);
    color: #06121f;
  }
  button.small {
    padding: 3px 9px;
    font-size: 12.5px;
    font-weight: 500;
  }
  .muted {
    color: var(--muted);
  }
  .green {
    color: var(--green);
  }
  .amber {
    color: var(--amber);
  }
  .red {
    color: var(--red);
  }
  .value {
    font-variant-numeric: tabular-nums;
  }
  .rows {
    display: grid;
    grid-template-columns: auto 1fr;
    gap: 2px 12px;
    align-items: baseline;
  }
  .rows > :nth-child(even) {
    text-align: right;
    font-variant-numeric: tabular-nums;
  }
  .rows > :nth-child(odd) {
    color: var(--muted);
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 6px;
  }
`;
