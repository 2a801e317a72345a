// What the page is made of, and how it talks to the control API.
import { word } from "./words.js";

export const find = (id) => document.getElementById(id);

export function make(tag, className, text) {
  const node = document.createElement(tag);
  node.className = className;
  node.textContent = text ?? "";
  return node;
}

export function button(key, className, enabled, onClick) {
  const node = make("button", className, word(key));
  node.type = "button";
  node.disabled = !enabled;
  node.addEventListener("click", onClick);
  return node;
}

export function yuan(fen) {
  return `¥${Math.trunc(fen / 100)}.${String(fen % 100).padStart(2, "0")}`;
}

export function beijing(ms) {
  return new Date(ms + 8 * 3600 * 1000).toISOString().slice(5, 19).replace("T", " ");
}

export function say(text, mood) {
  find("notice").textContent = text;
  find("notice").className = mood;
}

export async function ask(path, body, method) {
  const options = { method: method ?? (body ? "POST" : "GET") };
  if (body) Object.assign(options, { headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const response = await fetch(`/sandbox/${path}`, options);
  const text = await response.text();
  if (!response.ok) throw new Error(reason(text));
  return text && JSON.parse(text);
}

// Asks, and says what came of it. `undefined` if it was refused.
export async function tell(path, body, done, method) {
  try {
    const answer = await ask(path, body, method);
    say(word(done), "good");
    return answer;
  } catch (trouble) {
    say(trouble.message, "bad");
    return undefined;
  }
}

function reason(text) {
  try {
    const { code, message } = JSON.parse(text);
    return `${code}: ${message}`;
  } catch {
    return text;
  }
}
