import { test } from "../harness";

test.todo("windows are moved, resized, closed and sent to a monitor by keyboard and menu");
test.todo("what runs in a window cannot reach the page around it");
